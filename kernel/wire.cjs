// Jupyter's wire format 5.3: routing identities, a delimiter, an HMAC, and four JSON frames.
"use strict";
const { createHmac, randomUUID, timingSafeEqual } = require("node:crypto");

const DELIMITER = "<IDS|MSG>";

function sign(key, frames) {
  if (!key) return "";
  const hmac = createHmac("sha256", key);
  for (const frame of frames) hmac.update(frame);
  return hmac.digest("hex");
}

/** Throws when the frames are no message or are signed with another key. */
function decode(key, frames) {
  const at = frames.findIndex((f) => f.toString("latin1") === DELIMITER);
  if (at < 0 || frames.length < at + 6) throw new Error("not a Jupyter message");
  const parts = frames.slice(at + 2, at + 6);
  const given = frames[at + 1];
  const expected = Buffer.from(sign(key, parts));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error("wrong signature");
  const [header, parent, metadata, content] = parts.map((p) => JSON.parse(p.toString("utf8")));
  return { identities: frames.slice(0, at), header, parent, metadata, content };
}

/** Frames of a message of `type` that answers `request` (null for one that answers nothing). */
function encode(key, identities, session, type, request, content) {
  const header = {
    msg_id: randomUUID(),
    session,
    username: "kernel",
    date: new Date().toISOString(),
    msg_type: type,
    version: "5.3",
  };
  const parts = [header, request?.header ?? {}, {}, content].map((p) => JSON.stringify(p));
  return [...identities, DELIMITER, sign(key, parts), ...parts];
}

module.exports = { decode, encode };
