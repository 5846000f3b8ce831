// Correcting labels: ticks on the labels, a field for missing ones, and what is sent in the end.

import { $, make } from "./elements.js";
import * as server from "./server.js";

const spelt = (label) => label.path.join(" › ");

export class Correction {
  // Right at first: what the model's policy chooses, or, where a threshold is set, what reaches it.
  constructor(suggested, threshold) {
    const right = (label) => (threshold ? label.score >= threshold : label.chosen);
    this.suggested = suggested.map((label) => label.uri);
    this.wrong = new Set(suggested.filter((label) => !right(label)).map((label) => label.uri));
    this.added = new Map(); // uri to name
    this.known = new Map(); // what the field offers, to the label behind it
  }

  tick(uri, right) {
    if (right) this.wrong.delete(uri);
    else this.wrong.add(uri);
  }

  async offer(project, query, signal) {
    const found = await server.labels(project, query, signal);
    this.known = new Map(found.map((label) => [spelt(label), label]));
    $("known").replaceChildren(...found.map((label) => make("option", { value: spelt(label) })));
  }

  // A label that the field offered, or else a new one by the name that was typed.
  add(typed) {
    const words = typed.trim();
    const same = (label) => [label.label, label.uri].some((name) => name.toLowerCase() === words.toLowerCase());
    const found = this.known.get(words) || [...this.known.values()].find(same);
    const label = found || { uri: words, label: words, path: [words] };
    if (!words) return null;
    this.wrong.delete(label.uri);
    if (this.suggested.includes(label.uri) || this.added.has(label.uri)) return null;
    this.added.set(label.uri, label.label);
    return { ...label, score: null };
  }

  get labels() {
    return [...this.suggested, ...this.added.keys()].filter((uri) => !this.wrong.has(uri));
  }
}
