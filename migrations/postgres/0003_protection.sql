-- What an app's owner has decided about abuse, as JSON. NULL: nothing yet.
ALTER TABLE apps ADD COLUMN protection text;
