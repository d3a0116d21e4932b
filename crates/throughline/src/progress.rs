//! What a person sees while they wait: a bar on stderr, and nothing at all where nobody looks.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A count that grows towards another. Zero: nobody knows how much there will be.
pub(crate) fn items(what: &'static str, of: u64) -> ProgressBar {
    let known = "{msg} {wide_bar} {human_pos}/{human_len} {eta:>5}";
    let unknown = "{msg} {spinner} {human_pos} after {elapsed}";
    start(what, of, if of > 0 { known } else { unknown })
}

/// Bytes of files, with the speed.
pub(crate) fn bytes(what: &'static str, of: u64) -> ProgressBar {
    start(what, of, "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec:>14} {eta:>5}")
}

/// Redrawn this often: smooth to the eye, nothing to the machine.
const TICK: Duration = Duration::from_millis(200);

fn start(what: &'static str, of: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target((of > 0).then_some(of), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template).expect("the template is one of ours");
    bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
    bar.set_message(what);
    if !bar.is_hidden() {
        bar.enable_steady_tick(TICK);
    }
    bar
}
