"""Believes what Watchword has signed, once."""

import threading
import time

import jwt


class Proofs:
    def __init__(self, otp_url: str, app_id: str, purpose: str, mode: str):
        self._app_id, self._purpose, self._mode = app_id, purpose, mode
        self._keys = jwt.PyJWKClient(otp_url.removesuffix("/v1") + "/.well-known/jwks.json", lifespan=3600)
        self._used: dict[str, float] = {}  # several processes have a table instead, and an INSERT that conflicts
        self._lock = threading.Lock()

    def phone_number(self, proof: str) -> str:
        """Raises `jwt.PyJWKClientConnectionError` where there are no keys, and `jwt.PyJWTError` for what is no proof."""
        key = self._keys.get_signing_key_from_jwt(proof)
        claims = jwt.decode(
            proof, key, algorithms=["EdDSA"], audience=self._app_id, leeway=30, options={"require": ["exp", "sub"]}
        )
        if claims.get("purpose") != self._purpose or claims.get("mode") != self._mode:
            raise jwt.InvalidTokenError("It is for something else")
        if claims.get("phone_number_verified") is not True or not self._is_first_use(claims["sub"], claims["exp"] + 30):
            raise jwt.InvalidTokenError("It was used before")
        return claims["phone_number"]

    def _is_first_use(self, issue_id: str, ends_at: float) -> bool:
        with self._lock:
            self._used = {known: end for known, end in self._used.items() if end > time.time()}
            is_first = issue_id not in self._used
            self._used[issue_id] = ends_at
            return is_first
