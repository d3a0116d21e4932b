//! The manual page, made from the command line's own definition.

use clap::Args;

use crate::{cli, print};

#[derive(Debug, Args)]
pub(crate) struct Man {}

impl Man {
    #[expect(clippy::unused_self, reason = "every command has the same shape")]
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut page = Vec::new();
        let mut definition = cli::definition();
        definition.build();
        // Not the whole page at once: it would refer to a page of its own for every command, and there is only this one.
        let whole = clap_mangen::Man::new(definition.clone());
        whole.render_title(&mut page)?;
        whole.render_name_section(&mut page)?;
        whole.render_synopsis_section(&mut page)?;
        whole.render_description_section(&mut page)?;
        for sub in definition.get_subcommands() {
            let mut section = Vec::new();
            let man = clap_mangen::Man::new(sub.clone());
            man.render_synopsis_section(&mut section)?;
            man.render_description_section(&mut section)?;
            if sub.get_arguments().next().is_some() {
                man.render_options_section(&mut section)?;
            }
            if sub.get_after_help().is_some() {
                man.render_extra_section(&mut section)?;
            }
            let section = String::from_utf8_lossy(&section).replace(".SH EXTRA", ".SH EXAMPLES");
            let section = section.replace(".SH ", ".SS ");
            page.extend_from_slice(
                format!(".SH \"THROUGHLINE {}\"\n", sub.get_name().to_uppercase()).as_bytes(),
            );
            page.extend_from_slice(section.as_bytes());
        }
        print::text(&String::from_utf8_lossy(&page))
    }
}
