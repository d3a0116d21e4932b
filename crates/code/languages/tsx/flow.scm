; Everything is TypeScript's.
(jsx_closing_element) @skip
