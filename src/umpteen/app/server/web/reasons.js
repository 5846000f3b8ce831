// Why a label: the words lit up behind the text, and below the label the words, paths and neighbours in numbers.

import { $, chance, make, meter, plural } from "./elements.js";

const CLASS = { for: "for", against: "against", "attended to": "attended" };
const FAINT = 0.02; // of the strongest word: not worth a mark
const ROWS = 8;

const speaks = (reasons) => reasons && reasons.pieces.some((piece) => piece.weight);

// Of several models, the first that has words to show.
export function light(given) {
  const reasons = speaks(given) ? given : given?.members.map((member) => member.reasons).find(speaks) ?? given;
  const mirror = $("mirror");
  mirror.replaceChildren();
  let plain = "";
  for (const piece of reasons ? reasons.pieces : []) {
    if (Math.abs(piece.share) < FAINT) {
      plain += piece.text;
      continue;
    }
    mirror.append(plain, make("mark", { className: CLASS[piece.side], share: Math.abs(piece.share).toFixed(2) }, piece.text));
    plain = "";
  }
  mirror.append(plain, "\n");
  mirror.scrollTop = $("text").scrollTop;
  legend(reasons);
}

function legend(reasons) {
  const shown = speaks(reasons);
  $("legend").hidden = !shown;
  $("hint").hidden = shown;
  if (!shown) return;
  const mark = (side, text) => make("mark", { className: side }, text);
  const against = reasons.pieces.some((piece) => piece.side === "against" && Math.abs(piece.share) >= FAINT);
  if (reasons.kind === "attention")
    $("legend").replaceChildren(`Where the model looks for “${reasons.label}”: the deeper the `, mark("attended", "colour"), ", the more.");
  else
    $("legend").replaceChildren("Words that speak ", mark("for", "for"), ` “${reasons.label}”`, ...(against ? [" and ", mark("against", "against"), " it"] : []),
      "; the deeper the colour, the more.");
}

const WAYS = { sum: "what words add", attention: "where it looks", leaning: "what words add" };

export function panel(reasons, explain) {
  return make("div", { className: "reasons", role: "region", ariaLabel: `Why ${reasons.label}` },
    reasons.ways.length > 1 ? choice(reasons, explain) : "",
    ...(reasons.members.length ? reasons.members.map(member) : parts(reasons)));
}

function choice({ ways, kind }, explain) {
  const buttons = ways.map((way) => {
    const button = make("button", { type: "button", ariaPressed: String(way === kind) }, WAYS[way]);
    button.addEventListener("click", () => explain(way));
    return button;
  });
  return make("div", { className: "bar", role: "group", ariaLabel: "How to explain" }, ...buttons);
}

function member({ member: name, said, reasons }, number) {
  const folded = make("details", { open: number === 0 }, make("summary", {}, make("b", {}, name), ` ${said}`),
    ...(reasons ? parts(reasons) : []));
  folded.addEventListener("toggle", () => folded.open && speaks(reasons) && light(reasons));
  return folded;
}

function parts(reasons) {
  const strongest = Math.max(...Object.values(reasons.features).flat().map((row) => Math.abs(row.weight)));
  const sides = Object.entries(reasons.features).filter(([, rows]) => rows.length);
  return [
    make("div", { className: "sides" }, ...sides.map((side) => words(side, strongest))),
    reasons.summary ? make("p", { className: "soft" }, minus(reasons.summary)) : "",
    ...reasons.paths.flatMap(path),
    ...neighbours(reasons),
    ...lesson(reasons)];
}

function words([side, rows], strongest) {
  const amount = (weight) => (side === "attended to" ? `${(100 * weight).toFixed(1)}%` : signed(weight));
  return make("table", { className: CLASS[side] }, make("caption", {}, `Words ${side}`),
    make("tbody", {}, ...rows.slice(0, ROWS).map((row) => make("tr", {},
      make("th", { scope: "row", dir: "auto" }, row.name),
      make("td", {}, meter(Math.abs(row.weight) / strongest)),
      make("td", { className: "number" }, amount(row.weight))))));
}

function path({ heading, chance: whole, steps }) {
  const nested = steps.reduceRight((below, step) => make("li", {},
    make("div", {}, make("b", {}, chance(step.chance)),
      make("span", {}, step.name, step.size > 1 ? make("span", { className: "soft" }, ` ${plural(step.size, "label")}`) : null)),
    below && make("ol", {}, below)), null);
  return [make("h3", {}, heading, make("span", { className: "soft" }, ` ${chance(whole)} in all`)),
    make("ol", { className: "path" }, nested)];
}

function neighbours({ neighbours: near, neighbours_summary: summary, taught }) {
  if (!near.length) return [];
  const heading = taught.length ? "Taught by training documents " : "Nearest training documents ";
  return [make("h3", {}, heading, make("span", { className: "soft" }, summary)),
    make("ol", { className: "near" }, ...near.slice(0, ROWS).map((one) => make("li", {},
      make("span", { className: "document", dir: "auto" }, one.document),
      make("span", { className: "number" }, one.similarity.toFixed(2)),
      make("span", { className: "soft" }, one.labels.join(", ")))))];
}

function lesson({ taught, taught_summary: summary }) {
  if (!taught.length) return [];
  return [make("h3", {}, "What they brought ", make("span", { className: "soft" }, summary)),
    make("table", {}, make("tbody", {}, ...taught.slice(0, ROWS).map((one) => make("tr", {},
      make("th", { scope: "row", dir: "auto" }, one.label,
        one.parents.length ? make("span", { className: "soft" }, ` below ${one.parents.join(", ")}`) : null),
      make("td", {}, meter(one.share)),
      make("td", { className: "number" }, plural(one.documents, "document"))))))];
}

const minus = (text) => text.replace(/-(?=\d)/g, "−");
const signed = (weight) => minus((weight > 0 ? "+" : "") + weight.toFixed(2));
