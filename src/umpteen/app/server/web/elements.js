// Elements, made without a word of HTML from anywhere: texts stay texts.

export const $ = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "share") element.style.setProperty("--w", value);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const meter = (share) =>
  make("span", { className: "meter", ariaHidden: "true" }, make("i", { share: Math.min(1, Math.max(0, share)).toFixed(3) }));

export const chance = (share) =>
  share >= 0.01 || share === 0 ? share.toFixed(2) : share >= 0.0001 ? share.toFixed(4) : "<0.0001";

export const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
