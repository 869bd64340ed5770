"""Sign up by phone. The page verifies the number with a public key, and posts the proof that Watchword has signed."""

import logging
import os
import secrets
import time
from typing import Annotated
from urllib.parse import urlsplit

import jwt
from fastapi import FastAPI, Form, Request
from fastapi.responses import PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates

from proof import Proofs

OTP_URL = os.environ.get("OTP_URL", "http://127.0.0.1:8787/v1")
OTP_PUBLIC_KEY = os.environ["OTP_PUBLIC_KEY"]  # quickstart prints it, and the app's id
OTP_APP_ID = os.environ["OTP_APP_ID"]
APP_ORIGIN = os.environ.get("APP_ORIGIN", f"http://localhost:{os.environ.get('PORT', '3000')}")  # as browsers see this app
PURPOSE = "signup"
# A page with a live key signs nobody in with a test number, which is nobody's.
MODE = "test" if OTP_PUBLIC_KEY.startswith("pk_test_") else "live"

DAY = 24 * 60 * 60
IS_HTTPS = APP_ORIGIN.startswith("https:")
COOKIE = "__Host-session" if IS_HTTPS else "session"  # the prefix keeps other subdomains from setting it
POLICY = "default-src 'self'; connect-src 'self' {0.scheme}://{0.netloc}; frame-ancestors 'none'".format(urlsplit(OTP_URL))

app = FastAPI(openapi_url=None)
app.mount("/static", StaticFiles(directory="static"))
templates = Jinja2Templates(directory="templates")
proofs = Proofs(OTP_URL, OTP_APP_ID, PURPOSE, MODE)
sessions: dict[str, tuple[str, float]] = {}  # number and end; in memory, as an example: yours is a table, or Redis


@app.middleware("http")
async def guard(request: Request, call_next):
    """Nobody else's page signs our visitors in, or out."""
    if request.method == "POST" and request.headers.get("origin") != APP_ORIGIN:
        return PlainTextResponse(f"Open {APP_ORIGIN}", 403)
    response = await call_next(request)
    if not request.url.path.startswith("/static/"):
        response.headers.update({"Content-Security-Policy": POLICY, "Cache-Control": "no-store"})
    return response


def page(request: Request, status: int = 200, phone_number: str | None = None, error: str | None = None):
    shown = {"phone_number": phone_number, "error": error, "is_test": MODE == "test"}
    told = {"url": OTP_URL, "key": OTP_PUBLIC_KEY, "purpose": PURPOSE}
    return templates.TemplateResponse(request, "page.html", {**shown, **told}, status_code=status)


@app.get("/")
def home(request: Request):
    phone_number, ends_at = sessions.get(request.cookies.get(COOKIE, ""), (None, 0))
    return page(request, phone_number=phone_number if ends_at > time.time() else None)


@app.post("/sign-up")
def sign_up(request: Request, proof: Annotated[str, Form()] = ""):
    try:
        phone_number = proofs.phone_number(proof)
    except jwt.PyJWKClientConnectionError:
        logging.exception("The keys of Watchword cannot be read")
        return page(request, 503, error="That does not work at the moment. Please try again in a few minutes.")
    except jwt.PyJWTError:
        return page(request, 400, error="That did not work. Please ask for another code.")
    # Your own: find the account of this number, or make it.
    sessions.pop(request.cookies.get(COOKIE, ""), None)
    session_id = secrets.token_urlsafe(32)  # always a new one: whoever knew one from before knows nothing now
    sessions[session_id] = (phone_number, time.time() + DAY)
    response = RedirectResponse("/", 303)
    response.set_cookie(COOKIE, session_id, max_age=DAY, httponly=True, samesite="lax", secure=IS_HTTPS)
    return response


@app.post("/sign-out")
def sign_out(request: Request):
    sessions.pop(request.cookies.get(COOKIE, ""), None)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=IS_HTTPS)
    return response
