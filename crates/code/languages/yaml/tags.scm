; A document that says of what kind it is, as those for Kubernetes do.
((document
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (flow_node) @_kind
        value: (flow_node [(plain_scalar) (double_quote_scalar)] @name) @head)))) @definition.section
  (#eq? @_kind "kind"))

; Keys of the first three levels. What is deeper is found by what is around it.
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @definition.key)))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        value: (block_node
          (block_mapping
            (block_mapping_pair
              key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name))
            @definition.key))))))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        value: (block_node
          (block_mapping
            (block_mapping_pair
              value: (block_node
                (block_mapping
                  (block_mapping_pair
                    key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name))
                  @definition.key)))))))))

; What is below a key is no part of its line.
(block_mapping_pair
  key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name @head)
  value: (block_node)) @definition.key
