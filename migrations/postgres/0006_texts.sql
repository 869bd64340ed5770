-- How an app's texts are written: what fills codes in, and by whom the language is chosen, as JSON. NULL: nothing decided.
ALTER TABLE apps ADD COLUMN texts text;

-- The language of a template's body, and the same in other languages, as JSON. NULL: not said; in none.
ALTER TABLE templates ADD COLUMN locale text;
ALTER TABLE templates ADD COLUMN bodies text;
