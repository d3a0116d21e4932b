//! Pictures made of characters: a row of columns, a bar. Knows nothing of what is counted.

const EIGHTHS_UP: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const EIGHTHS_RIGHT: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// One column a number, the highest as high as a line. Whatever is not zero is seen.
pub(crate) fn columns(numbers: &[u64]) -> String {
    let most = numbers.iter().copied().max().unwrap_or_default().max(1);
    let height = |number: u64| (number as f64 / most as f64 * 8.0).round() as usize;
    numbers.iter().map(|number| EIGHTHS_UP[height(*number).max(usize::from(*number > 0))]).collect()
}

/// As long as its part of the most, in eighths of a character. Whatever is not zero is seen.
pub(crate) fn bar(number: u64, most: u64, room: usize) -> String {
    let eighths = (number as f64 / most.max(1) as f64 * (room * 8) as f64).round() as usize;
    let eighths = eighths.clamp(usize::from(number > 0), room * 8);
    let mut bar: String = std::iter::repeat_n('█', eighths / 8).collect();
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS_RIGHT[eighths % 8]);
    }
    bar
}

/// `1.2 k`, `3.4 M`.
pub(crate) fn short(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{:.1} k", number as f64 / 1e3),
        _ => format!("{:.1} M", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_bars_show_the_most_whole_and_the_least_at_all() {
        assert_eq!(columns(&[0, 1, 500, 1000]), " ▁▄█");
        assert_eq!(columns(&[]), "");
        assert_eq!(columns(&[0, 0]), "  ");
        assert_eq!(bar(1000, 1000, 4), "████");
        assert_eq!(bar(1, 1000, 4), "▏");
        assert_eq!(bar(0, 1000, 4), "");
        assert_eq!(bar(0, 0, 4), "");
        assert_eq!(bar(500, 1000, 3), "█▌");
    }
}
