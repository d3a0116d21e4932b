//! Comments and marks by where they end, so that what stands right before a definition is found without asking the tree
//! for siblings: that costs as much as there are of them.

use tree_sitter::Node;

#[derive(Debug, Default)]
pub(crate) struct Beside<'t> {
    nodes: Vec<Node<'t>>,
}

impl<'t> Beside<'t> {
    pub(crate) fn add(&mut self, node: Node<'t>) {
        self.nodes.push(node);
    }

    /// Before the first question.
    pub(crate) fn sort(&mut self) {
        self.nodes.sort_by_key(Node::end_byte);
    }

    /// The comments and marks right before a byte, the nearest first: nothing but white space is between them.
    pub(crate) fn before<'b>(
        &'b self,
        mut byte: usize,
        text: &'b str,
    ) -> impl Iterator<Item = Node<'t>> + 'b {
        let mut at = self.nodes.partition_point(|node| node.end_byte() <= byte);
        std::iter::from_fn(move || {
            // A comment in a mark ends before it does, and is passed over with it.
            let node = loop {
                at = at.checked_sub(1)?;
                if self.nodes[at].end_byte() <= byte {
                    break self.nodes[at];
                }
            };
            let is_near = text[node.end_byte()..byte].bytes().all(|byte| byte.is_ascii_whitespace());
            byte = node.start_byte();
            is_near.then_some(node)
        })
    }

    /// Whether nothing but white space stands before a node on its line.
    pub(crate) fn is_alone(node: Node<'_>, text: &str) -> bool {
        let before = &text[..node.start_byte()];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        line.bytes().all(|byte| byte.is_ascii_whitespace())
    }
}
