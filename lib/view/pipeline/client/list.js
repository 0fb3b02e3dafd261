/* A list of rows of one height, of which only those in sight are in the document. */

const ROW = 18;
/** Rows kept above and below what is seen. */
const MARGIN = 12;

class List {
  /**
   * @param {(row: Row, index: number) => HTMLElement} draw
   * @param {string} label
   */
  constructor(draw, label) {
    this.draw = draw;
    /** @type {Row[]} */
    this.rows = [];
    this.element = document.createElement("div");
    this.element.className = "list";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "list");
    this.element.setAttribute("aria-label", label);
    this.space = document.createElement("div");
    this.space.className = "space";
    this.element.append(this.space);
    this.element.addEventListener("scroll", () => this.refresh());
  }

  /** @param {Row[]} rows */
  show(rows) {
    this.rows = rows;
    this.space.style.height = `${rows.length * ROW}px`;
    this.refresh();
  }

  /** Draws what is in sight. */
  refresh() {
    const height = this.element.clientHeight || 800;
    // Rows drawn before may still hold the list open further than there are rows now.
    const top = Math.min(this.element.scrollTop, Math.max(0, this.rows.length * ROW - height));
    const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / ROW) + MARGIN);
    const drawn = [];
    for (let i = first; i < last; i++) {
      const row = this.draw(this.rows[i], i);
      row.style.top = `${i * ROW}px`;
      row.dataset.index = String(i);
      drawn.push(row);
    }
    this.space.replaceChildren(...drawn);
  }

  /** Scrolls until the row stands `offset` pixels below the top (default: a third of the height). @param {number} index @param {number} [offset] */
  reveal(index, offset = this.element.clientHeight / 3) {
    this.element.scrollTop = Math.max(0, index * ROW - offset);
    this.refresh();
  }

  /** Scrolls only when the row is out of sight. @param {number} index */
  keepInSight(index) {
    const y = index * ROW - this.element.scrollTop;
    if (y < 0 || y > this.element.clientHeight - ROW) this.reveal(index);
    else this.refresh();
  }
}

/** An element with a class and text. @param {string} tag @param {string} name @param {string} [text] */
function make(tag, name, text) {
  const e = document.createElement(tag);
  if (name !== "") e.className = name;
  if (text !== undefined) e.textContent = text;
  return e;
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [text] */
function svg(tag, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, String(value));
  if (text !== undefined) e.textContent = text;
  return e;
}

/** @param {string} id */
function byId(id) {
  const e = document.getElementById(id);
  if (e === null) throw new Error(`no element ${id}`);
  return e;
}
