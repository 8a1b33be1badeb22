// A list checks itself: its checksum, its line of the journal, the signatures, and that what this browser checked
// last still stands. It asks nobody but this office, and knows the formats of docs/journal.md ("What is signed").
(function () {
  "use strict";
  const box = document.querySelector("[data-check-list]");
  if (!box) return;
  const page = JSON.parse(document.getElementById("check-list").textContent);
  const button = box.querySelector("button");

  // ---- Bytes
  const encode = (text) => new TextEncoder().encode(text);
  const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const join = (...parts) => {
    const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) { all.set(part, at); at += part.length; }
    return all;
  };
  const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));
  const above = (left, right) => sha256(Uint8Array.of(1), left, right);

  // ---- What is said: sentences that the page brought along, with their numbers and days
  class Differs extends Error {
    constructor(step, values = {}) { super(step); this.step = step; this.values = values; }
  }
  const number = (count) => count.toLocaleString(document.documentElement.lang);
  const day = (date) => date.toLocaleDateString(document.documentElement.lang, { dateStyle: "long" });
  const say = (step, values = {}) => {
    const said = box.querySelector(`template[data-step="${step}"]`).content.cloneNode(true);
    for (const [name, value] of Object.entries(values)) said.querySelectorAll(`[data-value="${name}"]`).forEach((place) => { place.textContent = value; });
    box.querySelector("[data-said]").append(said);
  };

  // ---- Files of the office
  const load = async (address) => {
    const answer = await fetch(address, { cache: "no-store" });
    if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
    return answer;
  };

  // ---- Signed notes, checkpoints and keys
  const parseKey = (vkey) => {
    const [name, id] = vkey.split("+", 2), material = fromBase64(vkey.slice(name.length + id.length + 2));
    return { vkey, name, id, kind: material[0], bytes: material.slice(1) };
  };
  const parseCheckpoint = (note) => {
    const [text, lines] = [note.slice(0, note.lastIndexOf("\n\n") + 1), note.slice(note.lastIndexOf("\n\n") + 2)];
    const [origin, size, root] = text.split("\n");
    const signatures = lines.split("\n").filter(Boolean).map((line) => {
      const [, name, encoded] = line.split(" "), bytes = fromBase64(encoded);
      return { name, id: toHex(bytes.slice(0, 4)), bytes: bytes.slice(4) };
    });
    return { note, text, origin, size: Number(size), root: toHex(fromBase64(root)), signatures };
  };
  // Whether one of the signatures is by this key; a time in seconds if it is a witness's. Throws for a forged one.
  const signedBy = async (checkpoint, key) => {
    for (const signature of checkpoint.signatures.filter((each) => each.name === key.name && each.id === key.id)) {
      const time = key.kind === 4 && new DataView(signature.bytes.buffer).getBigUint64(0);
      const message = key.kind === 4 ? `cosignature/v1\ntime ${time}\n${checkpoint.text}` : checkpoint.text;
      const bytes = key.kind === 4 ? signature.bytes.slice(8) : signature.bytes;
      const imported = await crypto.subtle.importKey("raw", key.bytes, { name: "Ed25519" }, false, ["verify"]);
      if (!(await crypto.subtle.verify("Ed25519", imported, bytes, encode(message)))) throw new Differs("forged", { name: key.name });
      return key.kind === 4 ? Number(time) : true;
    }
    return false;
  };
  // The newest of the office's keys that signed. A page that is older than the change to it takes the keys of today.
  const findSigner = async (checkpoint) => {
    for (const { origin, vkey } of page.keys) if (origin === checkpoint.origin && (await signedBy(checkpoint, parseKey(vkey)))) return vkey;
    const html = await (await load(location.href)).text(), known = page.keys.map((each) => each.vkey);
    page.keys = JSON.parse(new DOMParser().parseFromString(html, "text/html").getElementById("check-list").textContent).keys;
    const added = page.keys.filter((each) => !known.includes(each.vkey)).reverse();
    if (!added.length) throw new Differs("forged", { name: checkpoint.origin });
    for (const key of added) say(key.reason ? "origin-since" : "key-since", { ...key, day: day(new Date(key.at)) });
    return findSigner(checkpoint);
  };
  const basePoint = Uint8Array.from({ length: 32 }, (_, at) => (at ? 0x66 : 0x58)); // a key that every browser takes which knows Ed25519
  const knowsEd25519 = () => crypto.subtle.importKey("raw", basePoint, { name: "Ed25519" }, false, ["verify"]).then(() => true, () => false);

  // ---- The tree, from the public tiles
  const tiles = new Map();
  const loadTile = (path) => {
    if (!tiles.has(path)) tiles.set(path, load(page.log + path).then((answer) => answer.arrayBuffer()).then((content) => new Uint8Array(content)));
    return tiles.get(path);
  };
  // The hash over the lines from index * 2**level to the next such number, in a tree of `size` lines.
  const loadNode = async (size, level, index) => {
    const tileLevel = Math.floor(level / 8), within = level % 8, inTile = 256 >> within;
    const tile = Math.floor(index / inTile), at = index % inTile;
    const width = Math.min(256, Math.floor(size / 256 ** tileLevel) - tile * 256);
    const place = [...String(tile).padStart(3 * Math.ceil(String(tile).length / 3), "0").match(/\d{3}/g)];
    const name = place.map((part, step) => (step < place.length - 1 ? `x${part}` : part)).join("/");
    const content = await loadTile(`tile/${tileLevel}/${name}${width < 256 ? `.p/${width}` : ""}`);
    let nodes = [];
    for (let each = at << within; each < (at + 1) << within; each += 1) nodes.push(content.slice(32 * each, 32 * each + 32));
    while (nodes.length > 1) nodes = await Promise.all(nodes.filter((_, place) => place % 2 === 0).map((left, pair) => above(left, nodes[2 * pair + 1])));
    return nodes[0];
  };
  // A tree that grows at its right edge is known by the hashes of its full subtrees, from the left.
  const push = async (edge, level, hash) => {
    while (edge.length && edge.at(-1).level === level) { hash = await above(edge.pop().hash, hash); level += 1; }
    edge.push({ level, hash });
  };
  const grow = async (edge, size, start, end) => {
    while (start < end) {
      let level = 0;
      while (start % 2 ** (level + 1) === 0 && start + 2 ** (level + 1) <= end) level += 1;
      await push(edge, level, await loadNode(size, level, start / 2 ** level));
      start += 2 ** level;
    }
  };
  const rootOf = async (edge) => {
    let hash = edge.length ? edge.at(-1).hash : await sha256();
    for (const each of edge.slice(0, -1).reverse()) hash = await above(each.hash, hash);
    return toHex(hash);
  };
  const includesLast = async (checkpoint, line) => {
    const edge = [], entry = encode(toHex(await sha256(encode(line))));
    await grow(edge, checkpoint.size, 0, checkpoint.size - 1);
    await push(edge, 0, await sha256(Uint8Array.of(0), entry));
    return (await rootOf(edge)) === checkpoint.root;
  };
  // Whether the lines that `old` signs are the first of those that `now` signs.
  const continues = async (now, old) => {
    if (now.size < old.size) return false;
    const edge = [];
    await grow(edge, now.size, 0, old.size);
    if ((await rootOf(edge)) !== old.root) return false;
    await grow(edge, now.size, old.size, now.size);
    return (await rootOf(edge)) === now.root;
  };

  // ---- What this browser checked before: by office and origin, the newest checkpoint with its key
  const readStore = () => {
    try { return JSON.parse(localStorage.getItem("checkpoints")) || {}; } catch { return {}; }
  };
  const remember = (origin, vkey, note) => {
    const all = readStore();
    all[page.office] = { ...all[page.office], [origin]: { vkey, note, on: new Date().toISOString() } };
    try { localStorage.setItem("checkpoints", JSON.stringify(all)); } catch { /* a full or closed store */ }
  };
  // Whether each key after the kept one, up to the newest, is announced in a checkpoint signed by the one before too.
  const announced = async (kept, newest) => {
    const keys = page.keys.filter((each) => each.origin === newest.origin).reverse();
    const from = keys.findIndex((each) => each.vkey === kept);
    if (from < 0) return false;
    for (let at = from + 1; at < keys.length; at += 1) {
      const first = parseCheckpoint(keys[at].first);
      if (!(await signedBy(first, parseKey(keys[at - 1].vkey))) || !(await signedBy(first, parseKey(keys[at].vkey)))) return false;
      if (!(await continues(newest, first))) return false;
    }
    return true;
  };
  const compareWithKept = async (newest, vkey) => {
    const known = readStore()[page.office] || {}, kept = known[newest.origin];
    if (!kept) {
      const key = page.keys.filter((each) => each.origin === newest.origin).at(-1);
      if (Object.keys(known).length) say("new-origin", { origin: newest.origin, day: day(new Date(key.at)), reason: key.reason });
      else say("first-visit");
      return;
    }
    const old = parseCheckpoint(kept.note), values = { size: number(old.size), day: day(new Date(kept.on)) };
    if (!(await continues(newest, old))) throw new Differs("forked", { ...values, kept: kept.note, now: newest.note });
    if (kept.vkey !== vkey) {
      if (!(await announced(kept.vkey, newest))) throw new Differs("another-key", values);
      say("new-key", values);
    }
    say("kept", values);
  };

  // ---- The check
  const check = async () => {
    const list = await (await load(page.list)).json();
    const bytes = encode(list.rows.map(([id, rating, games]) => `${id},${rating},${games}\n`).join(""));
    const checksum = toHex(await sha256(bytes));
    if (checksum !== page.sha256 || checksum !== list.sha256) throw new Differs("other-rows", { checksum });
    say("rows");
    if (!list.checkpoint) { say("unsigned"); return false; }
    const signed = parseCheckpoint(list.checkpoint);
    if (signed.size !== page.line || signed.origin !== list.origin || !(await includesLast(signed, page.entry))) throw new Differs("not-included");
    say("included", { line: number(page.line) });
    const newest = parseCheckpoint(await (await load(`${page.log}checkpoint`)).text());
    const goesOn = newest.origin === signed.origin;
    if (!goesOn) say("ended", { origin: signed.origin });
    else if (!(await continues(newest, signed))) throw new Differs("two-histories", { kept: signed.note, now: newest.note });
    if (!(await knowsEd25519())) { say("no-ed25519"); return false; }
    await findSigner(signed);
    const vkey = await findSigner(newest);
    say("signed", { size: number(newest.size) });
    for (const witness of page.witnesses) {
      const key = parseKey(witness.vkey), time = await signedBy(newest, key);
      if (time) say("witnessed", { name: key.name, day: day(new Date(time * 1000)) });
      if (time && witness.own) say("own-witness");
    }
    await compareWithKept(newest, vkey);
    remember(newest.origin, vkey, newest.note);
    return true;
  };

  box.hidden = false;
  if (!globalThis.crypto?.subtle) { // an old browser, or an address without https
    button.hidden = true;
    say("unable");
  }
  button.addEventListener("click", async () => {
    button.disabled = true;
    tiles.clear();
    box.querySelector("[data-said]").replaceChildren();
    try {
      if (await check()) say("agrees");
    } catch (failure) {
      if (failure instanceof Differs) say(failure.step, failure.values);
      else { say("not-loaded"); console.error(failure); }
    }
    button.disabled = false;
  });
})();
