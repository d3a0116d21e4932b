// Why a hit is where it is, in words and bars. The score is (words + nearness + reading) times every factor, so the first
// group is drawn as what it adds, the second as what it changes.

export interface Reason {
  name: string;
  value: number;
}

/** What adds to the score. */
const PARTS: Record<string, string> = {
  words: "Says your words",
  nearness: "Means something close",
  reading: "Fits on a second look",
};

/** What the sum is multiplied with. */
const FACTORS: Record<string, string> = {
  recency: "Happened lately",
  hits: "Was of use before",
  prevented: "Stopped a mistake before",
  critical: "Marked critical",
  pinned: "Pinned",
  urgency: "Urgent",
  project: "Of this project",
  branch: "Of this branch",
  time: "From the time you ask for",
  kind: "Raw material, not distilled",
  superseded: "Superseded by a newer one",
};

/** A change of so many percent fills the bar. */
const FULL_PERCENT = 60;

export function Explain({ why, score }: { why: readonly Reason[]; score: number }) {
  const parts = why.filter((reason) => !(reason.name in FACTORS));
  const factors = why.filter((reason) => reason.name in FACTORS);
  const sum = parts.reduce((total, part) => total + Math.max(0, part.value), 0);
  const largest = parts.reduce((most, part) => Math.max(most, part.value), 0);
  return (
    <div class="explain">
      <table>
        <caption class="hidden">What the score is made of</caption>
        <tbody>
          {parts.map((part) => (
            <Row
              key={part.name}
              label={PARTS[part.name] ?? part.name}
              share={largest > 0 ? part.value / largest : 0}
              value={part.value.toFixed(2)}
              note={sum > 0 ? `${Math.round((100 * Math.max(0, part.value)) / sum)} %` : ""}
              tone="gain"
            />
          ))}
          {factors.map((factor) => {
            const percent = Math.round((factor.value - 1) * 100);
            return (
              <Row
                key={factor.name}
                label={FACTORS[factor.name] ?? factor.name}
                share={Math.min(1, Math.abs(percent) / FULL_PERCENT)}
                value={`× ${factor.value.toFixed(2)}`}
                note={`${percent < 0 ? "−" : "+"}${Math.abs(percent)} %`}
                tone={percent < 0 ? "loss" : "change"}
              />
            );
          })}
        </tbody>
      </table>
      <p class="explain-sum">
        Together <strong>{score.toFixed(3)}</strong>: what it says and means, times what is known of it.
      </p>
    </div>
  );
}

interface RowProps {
  label: string;
  share: number;
  value: string;
  note: string;
  tone: "gain" | "change" | "loss";
}

function Row({ label, share, value, note, tone }: RowProps) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td class="explain-cell" aria-hidden="true">
        <svg class="explain-bar" viewBox="0 0 100 6" preserveAspectRatio="none">
          <rect class="explain-track" width={100} height={6} />
          <rect class={`explain-${tone}`} width={Math.max(1, 100 * Math.min(1, Math.max(0, share)))} height={6} />
        </svg>
      </td>
      <td class="explain-value">{value}</td>
      <td class="explain-note">{note}</td>
    </tr>
  );
}
