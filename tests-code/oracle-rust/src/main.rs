//! What `syn` finds in Rust files: every definition with its lines. Resolves nothing; a name is a name.
//!
//!     oracle-rust FILE... > lines of {file, definitions: [{name, owner, kind, line, first_line, end_line, ...}]}
//!
//! `line` is where the name is, `first_line` where the item begins without its attributes. What is written inside the
//! call of a macro is text to a parser and is not listed.

use proc_macro2::Span;
use serde_json::{Value, json};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Visibility};

#[derive(Default)]
struct Definitions {
    owner: Vec<String>,
    /// Conditions of the enclosing modules and blocks: what stands below `#[cfg(windows)]` is not built elsewhere.
    conditions: Vec<String>,
    in_trait_impl: bool,
    found: Vec<Value>,
}

impl Definitions {
    fn add(
        &mut self,
        kind: &str,
        name: &Ident,
        first: Span,
        item: Span,
        attributes: &[Attribute],
        public: bool,
    ) {
        let conditions: Vec<String> = self.conditions.iter().cloned().chain(conditions(attributes)).collect();
        self.found.push(json!({
            "name": name.to_string().trim_start_matches("r#"),
            "owner": self.owner.join("."),
            "kind": kind,
            "line": name.span().start().line,
            "column": name.span().start().column,
            "first_line": first.start().line,
            "end_line": item.end().line,
            "public": public,
            "in_trait_impl": self.in_trait_impl,
            "conditions": conditions,
        }));
    }

    fn inside(&mut self, name: String, attributes: &[Attribute], walk: impl FnOnce(&mut Self)) {
        let before = self.conditions.len();
        self.conditions.extend(conditions(attributes));
        self.owner.push(name);
        walk(self);
        self.owner.pop();
        self.conditions.truncate(before);
    }
}

fn conditions(attributes: &[Attribute]) -> impl Iterator<Item = String> + '_ {
    attributes.iter().filter_map(|attribute| {
        let path = attribute.path();
        let named = path.is_ident("cfg") || path.is_ident("test") || path.is_ident("bench");
        named.then(|| match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            _ => path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        })
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The first token of an item that is not an attribute.
fn begin(visibility: Option<&Visibility>, keyword: Span) -> Span {
    match visibility {
        Some(visibility) if !matches!(visibility, Visibility::Inherited) => visibility.span(),
        _ => keyword,
    }
}

fn self_name(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        syn::Type::Reference(reference) => self_name(&reference.elem),
        syn::Type::Group(group) => self_name(&group.elem),
        syn::Type::TraitObject(object) => match object.bounds.first() {
            Some(syn::TypeParamBound::Trait(bound)) => {
                bound.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default()
            }
            _ => String::new(),
        },
        _ => String::new(),
    }
}

macro_rules! plain {
    ($method:ident, $item:ty, $kind:literal, $keyword:ident) => {
        fn $method(&mut self, item: &'ast $item) {
            let first = begin(Some(&item.vis), item.$keyword.span());
            self.add($kind, &item.ident, first, item.span(), &item.attrs, is_public(&item.vis));
            visit::$method(self, item);
        }
    };
}

impl<'ast> Visit<'ast> for Definitions {
    plain!(visit_item_struct, syn::ItemStruct, "struct", struct_token);
    plain!(visit_item_enum, syn::ItemEnum, "enum", enum_token);
    plain!(visit_item_union, syn::ItemUnion, "union", union_token);
    plain!(visit_item_const, syn::ItemConst, "const", const_token);
    plain!(visit_item_static, syn::ItemStatic, "static", static_token);
    plain!(visit_item_type, syn::ItemType, "type", type_token);

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let first = begin(Some(&item.vis), item.sig.span());
        self.add("function", &item.sig.ident, first, item.span(), &item.attrs, is_public(&item.vis));
        self.inside(item.sig.ident.to_string(), &item.attrs, |it| visit::visit_item_fn(it, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let first = begin(Some(&item.vis), item.sig.span());
        self.add("method", &item.sig.ident, first, item.span(), &item.attrs, is_public(&item.vis));
        self.inside(item.sig.ident.to_string(), &item.attrs, |it| visit::visit_impl_item_fn(it, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add("method", &item.sig.ident, item.sig.span(), item.span(), &item.attrs, true);
        self.inside(item.sig.ident.to_string(), &item.attrs, |it| visit::visit_trait_item_fn(it, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        let first = begin(Some(&item.vis), item.const_token.span());
        self.add("const", &item.ident, first, item.span(), &item.attrs, is_public(&item.vis));
        visit::visit_impl_item_const(self, item);
    }

    fn visit_impl_item_type(&mut self, item: &'ast syn::ImplItemType) {
        let first = begin(Some(&item.vis), item.type_token.span());
        self.add("type", &item.ident, first, item.span(), &item.attrs, is_public(&item.vis));
        visit::visit_impl_item_type(self, item);
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.add("const", &item.ident, item.const_token.span(), item.span(), &item.attrs, true);
        visit::visit_trait_item_const(self, item);
    }

    fn visit_trait_item_type(&mut self, item: &'ast syn::TraitItemType) {
        self.add("type", &item.ident, item.type_token.span(), item.span(), &item.attrs, true);
        visit::visit_trait_item_type(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let keyword = item.unsafety.map_or(item.trait_token.span(), |token| token.span());
        let first = begin(Some(&item.vis), keyword);
        self.add("trait", &item.ident, first, item.span(), &item.attrs, is_public(&item.vis));
        self.inside(item.ident.to_string(), &item.attrs, |it| visit::visit_item_trait(it, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let before = std::mem::replace(&mut self.in_trait_impl, item.trait_.is_some());
        self.inside(self_name(&item.self_ty), &item.attrs, |it| visit::visit_item_impl(it, item));
        self.in_trait_impl = before;
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let first = begin(Some(&item.vis), item.mod_token.span());
        self.add("mod", &item.ident, first, item.span(), &item.attrs, is_public(&item.vis));
        self.inside(item.ident.to_string(), &item.attrs, |it| visit::visit_item_mod(it, item));
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(name) = &item.ident {
            self.add("macro", name, item.mac.path.span(), item.span(), &item.attrs, false);
        }
        visit::visit_item_macro(self, item);
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{}", json!({"file": path, "error": error.to_string()}));
                continue;
            }
        };
        match syn::parse_file(&text) {
            Ok(file) => {
                let mut definitions = Definitions::default();
                definitions.visit_file(&file);
                println!("{}", json!({"file": path, "definitions": definitions.found}));
            }
            Err(error) => println!("{}", json!({"file": path, "error": error.to_string()})),
        }
    }
}
