-- A second factor that was shown and is not proved yet, sealed, with the time until which it can be. NULL: none.
ALTER TABLE operators ADD COLUMN totp_begun BLOB;
