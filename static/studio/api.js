/* The API as the signed-in person calls it. The bearer token is bound to the web session and lives in memory only. */

import { t } from "./words.js";

export class ApiError extends Error {
  /** `status` 0 means that no answer came. `details` are the faults of the error body: [{path, message}].
      @param {number} status
      @param {{error?: string, details?: {path: string, message: string}[]}} body */
  constructor(status, body = {}, headers = new Headers()) {
    super(
      body.error || (status ? t("The service answered {status}.", { status }) : t("The service cannot be reached.")),
    );
    this.status = status;
    this.details = body.details || [];
    this.headers = headers;
  }

  /** Seconds that the service asks us to wait; undefined where it does not say. */
  get retryAfter() {
    const seconds = Number(this.headers.get("Retry-After"));
    return seconds > 0 ? seconds : undefined;
  }
}

/**
 * @typedef {object} Options
 * @property {unknown} [body] sent as JSON
 * @property {Blob} [raw] sent as it is
 * @property {number} [version] of the row that the caller knows
 * @property {Record<string, string>} [headers]
 * @property {boolean} [keepalive]
 * @property {AbortSignal} [signal]
 */

export class Api {
  /** @type {string | null} */
  token = null;
  /** @type {Promise<string> | null} */
  asking = null;

  /** `person` is the key of whoever the page was made for: nobody else's token is used for their words.
      @param {{base: string, tokenUrl: string, person: string}} needs */
  constructor({ base, tokenUrl, person }) {
    this.base = base;
    this.tokenUrl = tokenUrl;
    this.person = person;
  }

  /** One call. Returns {data, headers, revision (of the draft)}; throws ApiError.
      @param {string} method
      @param {string} path
      @param {Options} options */
  async call(method, path, options = {}) {
    const response = await this.send(method, path, options);
    const data = await bodyOf(response);
    const { ok, status, headers } = response;
    if (ok) return { data, headers, revision: Number(headers.get("Draft-Revision")) };
    throw new ApiError(status, data || {}, headers);
  }

  /** @param {string} method
      @param {string} path
      @param {Options} options */
  async send(method, path, { body, raw, version, headers = {}, keepalive = false, signal } = {}) {
    for (let attempt = 0; ; attempt += 1) {
      /** @type {Record<string, string>} */
      const all = { ...headers, Authorization: `Bearer ${await this.bearer()}` };
      if (version !== undefined) all["If-Match"] = `"${version}"`;
      if (body !== undefined) all["Content-Type"] = "application/json";
      const response = await reach(path.startsWith("http") ? path : this.base + path, {
        method,
        headers: all,
        body: raw ?? JSON.stringify(body),
        keepalive,
        signal,
        credentials: "omit",
      });
      if (response.status !== 401 || attempt) return response;
      this.token = null; // it ran out: ask for another one, once
    }
  }

  /** The present token; one request at a time asks for it. Throws ApiError 401 where the person is signed out.
      @returns {Promise<string>} */
  async bearer() {
    if (this.token) return this.token;
    this.asking ??= this.fetchToken().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  async fetchToken() {
    // The token of the form comes with the session that is there now, which may be newer than this page.
    const asked = await this.ofSession("GET");
    if (asked.person !== this.person) throw new ApiError(401, { error: t("Somebody else is signed in here.") });
    const { token } = await this.ofSession("POST", { "X-CSRFToken": asked.csrfToken });
    this.token = token;
    return token;
  }

  /** @param {string} method
      @param {Record<string, string>} headers */
  async ofSession(method, headers = {}) {
    const response = await reach(this.tokenUrl, { method, headers, credentials: "same-origin", redirect: "manual" });
    if (response.type === "opaqueredirect" || [401, 403].includes(response.status)) {
      throw new ApiError(401, { error: t("You are signed out.") });
    }
    const data = await bodyOf(response);
    if (!response.ok || !data) throw new ApiError(response.status, data || {}, response.headers);
    return data;
  }
}

/** @param {string} url
    @param {RequestInit} options */
async function reach(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0);
  }
}

/** @param {Response} response
    @returns {Promise<any>} */
async function bodyOf(response) {
  if (!(response.headers.get("Content-Type") || "").includes("json")) return null;
  try {
    return await response.json();
  } catch {
    return null; // cut short: the status still tells what happened
  }
}
