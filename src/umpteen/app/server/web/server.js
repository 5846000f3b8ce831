// Talking to the server: every failure becomes a sentence, and says whether trying again may help.

const KEY = "umpteen token";

export class Failure extends Error {
  constructor(message, { status = 0, wait = 0 } = {}) {
    super(message);
    this.status = status;
    this.wait = wait; // seconds until it is worth trying again; 0: it is not
  }
}

export const keepToken = (token) => sessionStorage.setItem(KEY, token);

async function ask(path, options = {}) {
  const token = sessionStorage.getItem(KEY);
  const headers = { Accept: "application/json", ...(token && { Authorization: `Bearer ${token}` }), ...options.headers };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The server cannot be reached. Trying again …", { wait: 3 });
  }
  const content = await response.json().catch(() => ({}));
  if (response.ok) return content;
  const detail = content.detail || `The server answered with ${response.status}.`;
  if (response.status !== 503) throw new Failure(detail, { status: response.status });
  const wait = Number(response.headers.get("Retry-After")) || 2;
  throw new Failure(`${detail} Trying again …`, { status: 503, wait });
}

const at = (project, what) => `/v1/projects/${encodeURIComponent(project)}/${what}`;
const json = (body) => ({ method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

export const projects = async () => (await ask("/v1/projects")).projects;
export const card = (project) => ask(at(project, "card"));
export const explain = (project, question, signal) => ask(at(project, "explain"), { ...json(question), signal });
export const correct = (project, correction) => ask(at(project, "feedback"), json(correction));
export const labels = async (project, query, signal) =>
  (await ask(at(project, `labels?${new URLSearchParams({ query, limit: 12 })}`), { signal })).labels;
export const suggest = async (project, text, { limit, threshold }, signal) =>
  (await ask(at(project, "suggest"), {
    method: "POST",
    body: new URLSearchParams({ text, limit, threshold, paths: "true", chosen: "true" }),
    signal,
  })).results;
