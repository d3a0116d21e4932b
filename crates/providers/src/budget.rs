//! How many tokens a day may cost, and what was spent. Pure: the day comes from the caller, and so does the disk.

use serde::{Deserialize, Serialize};

use crate::{Completion, ProviderError, Request};

/// A day in UTC: days since 1970. A budget that follows the person's time zone would be spent twice on a flight.
pub type Day = u32;

/// The day of a moment in Unix milliseconds.
pub fn day_of(unix_millis: u64) -> Day {
    const MILLIS_PER_DAY: u64 = 24 * 60 * 60 * 1000;
    Day::try_from(unix_millis / MILLIS_PER_DAY).unwrap_or(Day::MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Input and output together. Zero: nothing may be spent.
    pub tokens_per_day: u64,
}

impl Budget {
    pub fn remaining(&self, spend: &Spend, day: Day) -> u64 {
        self.tokens_per_day.saturating_sub(spend.today(day))
    }

    /// Whether the request fits into what is left of the day even if the answer is as long as it may be.
    pub fn admits(&self, spend: &Spend, day: Day, request: &Request) -> bool {
        request.worst_case_tokens() <= self.remaining(spend, day)
    }
}

/// What was spent: on one day, and ever. Kept by the caller, who may add fields around it; unknown ones are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spend {
    day: Day,
    day_tokens: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub calls: u64,
    pub failures: u64,
}

impl Spend {
    pub fn today(&self, day: Day) -> u64 {
        if self.day == day { self.day_tokens } else { 0 }
    }

    pub fn record(&mut self, day: Day, outcome: Result<&Completion, &ProviderError>, request: &Request) {
        self.calls += 1;
        let (input, output) = match outcome {
            Ok(completion) => (completion.input_tokens, completion.output_tokens),
            Err(error) => {
                self.failures += 1;
                (if error.may_have_cost() { request.input_tokens() } else { 0 }, 0)
            }
        };
        self.input_tokens = self.input_tokens.saturating_add(input);
        self.output_tokens = self.output_tokens.saturating_add(output);
        let spent = self.today(day).saturating_add(input).saturating_add(output);
        (self.day, self.day_tokens) = (day, spent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(output: u32) -> Request {
        Request { system: "s".repeat(42), prompt: "p".repeat(378), max_output_tokens: output, schema: None }
    }

    fn cost(input_tokens: u64, output_tokens: u64) -> Completion {
        Completion { text: String::new(), input_tokens, output_tokens }
    }

    #[test]
    fn a_day_is_spent_and_the_next_one_is_fresh() {
        let budget = Budget { tokens_per_day: 1_000 };
        let mut spend = Spend::default();
        spend.record(20_000, Ok(&cost(700, 100)), &request(10));
        assert_eq!(budget.remaining(&spend, 20_000), 200);
        assert_eq!(budget.remaining(&spend, 20_001), 1_000);
        spend.record(20_001, Ok(&cost(2_000, 0)), &request(10));
        assert_eq!(budget.remaining(&spend, 20_001), 0);
        assert_eq!((spend.input_tokens, spend.output_tokens, spend.calls), (2_700, 100, 2));
    }

    #[test]
    fn a_request_is_admitted_only_with_room_for_its_longest_answer() {
        let budget = Budget { tokens_per_day: 200 };
        assert_eq!(request(0).input_tokens(), 100);
        assert!(budget.admits(&Spend::default(), 1, &request(100)));
        assert!(!budget.admits(&Spend::default(), 1, &request(101)));
        assert!(!Budget { tokens_per_day: 0 }.admits(&Spend::default(), 1, &request(0)));
    }

    #[test]
    fn an_answer_that_was_useless_is_paid_for_and_an_answer_that_never_came_is_not() {
        let mut spend = Spend::default();
        spend.record(1, Err(&ProviderError::garbage("")), &request(10));
        assert_eq!(spend.today(1), 100);
        spend.record(1, Err(&ProviderError::Busy { retry_after: None }), &request(10));
        assert_eq!((spend.today(1), spend.calls, spend.failures), (100, 2, 2));
    }

    #[test]
    fn counters_survive_the_disk_and_a_file_of_another_release() {
        let mut spend = Spend::default();
        spend.record(3, Ok(&cost(5, 6)), &request(10));
        let text = serde_json::to_string(&spend).unwrap();
        assert_eq!(serde_json::from_str::<Spend>(&text).unwrap(), spend);
        let other: Spend = serde_json::from_str(r#"{"calls": 4, "euros": 1}"#).unwrap();
        assert_eq!(other.calls, 4);
    }

    #[test]
    fn a_day_begins_at_midnight_in_utc() {
        assert_eq!((day_of(0), day_of(86_399_999), day_of(86_400_000)), (0, 0, 1));
        assert_eq!(day_of(u64::MAX), Day::MAX);
    }
}
