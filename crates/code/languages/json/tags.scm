; Keys of the first three levels. What is deeper is found by what is around it.
(document (object (pair key: (string (string_content)) @name) @definition.key))
(document
  (object
    (pair
      value: (object (pair key: (string (string_content)) @name) @definition.key))))
(document
  (object
    (pair
      value: (object
        (pair
          value: (object (pair key: (string (string_content)) @name) @definition.key))))))
; An object or a list is no part of a key's line.
(document (object (pair key: (string (string_content)) @name value: [(object) (array)] @body) @definition.key))
(document
  (object
    (pair
      value: (object (pair key: (string (string_content)) @name value: [(object) (array)] @body) @definition.key))))
(document
  (object
    (pair
      value: (object
        (pair
          value: (object
            (pair key: (string (string_content)) @name value: [(object) (array)] @body) @definition.key))))))
