//! How things look. Without color everything is still told apart: by weight, by brightness, by being turned around.

use ratatui::style::{Color, Modifier, Style};

#[derive(Debug, Clone, Copy)]
pub(super) struct Theme {
    pub(super) color: bool,
}

#[expect(
    clippy::unused_self,
    reason = "whoever draws asks for a style and need not know which of them have colors"
)]
impl Theme {
    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn faint(self) -> Style {
        if self.color { Style::new().fg(Color::DarkGray) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn alive(self) -> Style {
        if self.color { Style::new().fg(Color::Green) } else { self.strong() }
    }

    pub(super) fn kind(self) -> Style {
        if self.color { Style::new().fg(Color::Cyan) } else { self.plain() }
    }

    pub(super) fn trouble(self) -> Style {
        if self.color { Style::new().fg(Color::Yellow) } else { self.strong() }
    }
}
