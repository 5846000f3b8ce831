// The page: texts in, labels out as you type.

import { Correction } from "./corrections.js";
import { $, chance, make, meter, plural } from "./elements.js";
import { light, panel } from "./reasons.js";
import * as server from "./server.js";

const PAUSE = 250; // milliseconds after the last key
const state = { results: [], chosen: null, correction: null, timer: 0, asking: null, explaining: null };
const project = () => $("model").value;
const text = () => $("text").value;

function say(words, { bad = false } = {}) {
  $("status").textContent = words;
  $("status").classList.toggle("bad", bad);
}

// Labels ------------------------------------------------------------------------------------------------------------

function soon(pause = PAUSE) {
  clearTimeout(state.timer);
  state.timer = setTimeout(tag, pause);
}

async function tag() {
  state.asking?.abort();
  if (!project()) return begin();
  if (!text().trim()) {
    show([]);
    return say("There is no text yet. Type or paste one, or drop a file.");
  }
  const asking = (state.asking = new AbortController());
  const waiting = setTimeout(() => $("labels").classList.add("stale"), 400);
  try {
    const wanted = { limit: $("limit").value || 10, threshold: $("threshold").value };
    show(await server.suggest(project(), text(), wanted, asking.signal));
    say(state.results.length ? plural(state.results.length, "label") : "No label scores that high. Lower the score to see more.");
  } catch (failure) {
    failed(failure);
  } finally {
    clearTimeout(waiting);
    if (state.asking === asking) $("labels").classList.remove("stale");
  }
}

function failed(failure) {
  if (failure.name === "AbortError") return;
  if (failure.status === 401) return $("ask").open || $("ask").showModal();
  if (failure.status === 404) begin(); // a model that is no longer served
  say(failure.message, { bad: true });
  $("labels").classList.add("stale");
  if (failure.wait) soon(failure.wait * 1000);
}

function show(results) {
  state.results = results;
  state.correction = null;
  render();
  const again = results.find((label) => label.uri === state.chosen);
  if (again) explain(again);
  else choose(null);
}

function render() {
  const { correction, results } = state;
  const added = [...(correction?.added ?? [])].map(([uri, label]) => ({ uri, label, path: [label], score: null }));
  $("labels").replaceChildren(...[...results, ...added].map(row));
  $("copying").hidden = !results.length;
  $("correct").disabled = !text().trim();
  $("correct").setAttribute("aria-pressed", String(Boolean(correction)));
  $("correction").hidden = !correction;
}

function row(label) {
  const crumbs = label.path.slice(0, -1).join(" › ");
  const button = make("button", { type: "button", className: "label", ariaExpanded: "false" },
    make("span", { dir: "auto" }, crumbs ? make("span", { className: "crumbs" }, `${crumbs} ›`) : null,
      make("span", { className: "name" }, label.label)),
    label.score === null ? "" : meter(label.score),
    make("span", { className: "number" }, label.score === null ? "" : chance(label.score)));
  button.addEventListener("click", () => (state.chosen === label.uri ? choose(null) : explain(label)));
  const item = make("li", {}, tick(label), button);
  item.dataset.uri = label.uri;
  item.classList.toggle("added", label.score === null);
  item.classList.toggle("wrong", Boolean(state.correction?.wrong.has(label.uri)));
  return item;
}

function tick(label) {
  if (!state.correction) return make("span");
  const box = make("input", { type: "checkbox", checked: !state.correction.wrong.has(label.uri), ariaLabel: `${label.label} is right` });
  box.addEventListener("change", () => {
    state.correction.tick(label.uri, box.checked);
    box.closest("li").classList.toggle("wrong", !box.checked);
  });
  return make("span", { className: "tick" }, box);
}

// Reasons -----------------------------------------------------------------------------------------------------------

const item = (uri) => [...$("labels").children].find((one) => one.dataset.uri === uri);

function choose(uri) {
  state.explaining?.abort();
  state.chosen = uri;
  if (!uri) light(null);
  for (const one of $("labels").children) {
    one.querySelector(".reasons")?.remove();
    one.querySelector(".label").ariaExpanded = String(one.dataset.uri === uri);
  }
}

async function explain(label, by = null) {
  choose(label.uri);
  const asking = (state.explaining = new AbortController());
  const asked = text();
  try {
    const reasons = await server.explain(project(), { text: asked, label: label.uri, by }, asking.signal);
    if (asked !== text() || state.chosen !== label.uri) return;
    light(reasons);
    item(label.uri)?.append(panel(reasons, (way) => explain(label, way)));
    if (by) item(label.uri)?.querySelector(".reasons [aria-pressed=true]")?.focus();
  } catch (failure) {
    if (failure.name !== "AbortError") say(failure.message, { bad: true });
  }
}

// Corrections -------------------------------------------------------------------------------------------------------

function correcting(on) {
  state.correction = on ? new Correction(state.results, Number($("threshold").value)) : null;
  render();
  choose(null);
  if (on) $("missing").focus();
  else $("correct").focus();
}

function add() {
  if (state.correction.add($("missing").value)) say(`Added ${$("missing").value.trim()}.`);
  $("missing").value = "";
  render();
  $("missing").focus();
}

async function send() {
  if ($("missing").value.trim()) add();
  const { labels, suggested } = state.correction;
  try {
    const { number } = await server.correct(project(), { text: text(), labels, suggested });
    correcting(false);
    say(`Thank you: the correction is kept as number ${number.toLocaleString("en")}.`);
  } catch (failure) {
    say(failure.message.replace(" Trying again …", " Send it again in a moment."), { bad: true });
  }
}

// Files, copies, the card -------------------------------------------------------------------------------------------

async function read(file) {
  if (!file) return;
  try {
    $("text").value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()).replaceAll("\r\n", "\n");
    changed();
    soon(0);
  } catch {
    say(`${file.name} is not a text in UTF-8. Save it as plain text first.`, { bad: true });
  }
}

const WAYS = {
  text: (results) => results.map((label) => label.label).join("\n"),
  tsv: (results) => results.map((label) => [label.uri, label.label, label.score].join("\t")).join("\n"),
  json: (results) => JSON.stringify(results.map(({ uri, label, score }) => ({ uri, label, score })), null, 1),
};

async function copy(way) {
  const content = WAYS[way](state.results);
  try {
    await navigator.clipboard.writeText(content);
  } catch { // not allowed, or not over https
    const field = make("textarea", { value: content });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  say(`Copied ${plural(state.results.length, "label")} as ${way === "text" ? "text" : way.toUpperCase()}.`);
}

async function about() {
  try {
    const card = await server.card(project());
    const table = (caption, rows) => make("table", {}, make("caption", {}, caption), make("tbody", {}, ...rows.map(([name, value]) =>
      make("tr", {}, make("th", { scope: "row" }, name), make("td", { className: "number" }, String(value))))));
    const changed = card.settings.filter((one) => JSON.stringify(one.value) !== JSON.stringify(one.default));
    $("card-title").textContent = `${card.project_id}: ${card.model}`;
    $("card-content").replaceChildren(
      make("p", {}, card.meaning.replaceAll("`", "")),
      make("p", { className: "soft" }, `Saved ${card.saved.replace("T", " ").replace("Z", " UTC")}, ${(card.bytes / 2 ** 20).toFixed(1)} MiB.`),
      table("Learnt from", Object.entries(card.data).map(([name, value]) =>
        [name.replaceAll("_", " "), typeof value === "boolean" ? (value ? "yes" : "no") : value.toLocaleString("en")])),
      card.scores ? table(`Scores on ${card.scores.data}, percent`, Object.entries(card.scores.metrics))
        : make("p", { className: "soft" }, "No scores are kept with this model."),
      table(`Settings${changed.length ? "" : ", all as they come"}`, card.settings.map((one) => [one.name, JSON.stringify(one.value)])));
    $("card").showModal();
  } catch (failure) {
    failed(failure);
  }
}

// Beginning ---------------------------------------------------------------------------------------------------------

function changed() {
  light(null); // what was lit up has moved
  $("labels").querySelector(".reasons")?.remove();
}

async function begin() {
  try {
    const found = await server.projects();
    const before = project();
    $("model").replaceChildren(...found.map((one) =>
      make("option", { value: one.project_id }, `${one.name} (${one.backend.backend_id}, ${plural(one.vocab.size, "label")})`)));
    if (found.some((one) => one.project_id === before)) $("model").value = before;
    soon(0);
  } catch (failure) {
    failed(failure);
  }
}

function arrows(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...$("labels").querySelectorAll(".label")];
  const place = buttons.indexOf(document.activeElement);
  if (!step || place < 0) return;
  event.preventDefault();
  buttons[Math.min(buttons.length - 1, Math.max(0, place + step))].focus();
}

function keys(event) {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (state.correction) correcting(false);
    else if (state.chosen) item(state.chosen)?.querySelector(".label").focus(), choose(null);
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) soon(0);
}

$("text").addEventListener("input", () => (changed(), soon()));
$("text").addEventListener("scroll", () => ($("mirror").scrollTop = $("text").scrollTop));
$("limit").addEventListener("input", () => soon());
$("threshold").addEventListener("input", () => {
  $("threshold-value").textContent = Number($("threshold").value).toFixed(2).replace(/\.?0+$/, "");
  soon();
});
$("model").addEventListener("change", () => (choose(null), soon(0)));
$("labels").addEventListener("keydown", arrows);
document.addEventListener("keydown", keys);
$("clear").addEventListener("click", () => {
  $("text").value = "";
  changed();
  soon(0);
  $("text").focus();
});
$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => (read($("file").files[0]), ($("file").value = "")));
document.addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("dropping")));
document.addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const words = event.dataTransfer.getData("text");
  if (event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
  else if (words) ($("text").value = words), changed(), soon(0);
});
$("about").addEventListener("click", about);
$("correct").addEventListener("click", () => correcting(!state.correction));
$("cancel").addEventListener("click", () => correcting(false));
$("add").addEventListener("click", add);
$("correction").addEventListener("submit", (event) => (event.preventDefault(), send()));
$("missing").addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), add()));
$("missing").addEventListener("input", () => {
  state.offering?.abort();
  state.offering = new AbortController();
  state.correction.offer(project(), $("missing").value, state.offering.signal).catch(() => {});
});
for (const button of $("copying").querySelectorAll("button")) button.addEventListener("click", () => copy(button.dataset.copy));
$("ask").addEventListener("close", () => (server.keepToken($("token").value), begin()));
begin();
