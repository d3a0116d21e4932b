(package_clause name: (package_identifier) @package)
(import_declaration) @import.dotted
((export_declaration) @import.dotted @reexport)
