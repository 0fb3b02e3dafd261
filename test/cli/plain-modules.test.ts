/** What the build makes of modules as TypeScript writes them. */
const { plain } = require("../../tools/plain-modules.cjs") as { plain(text: string): string };

const written = `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Kind = exports.most = void 0;
exports.count = count;
const types_js_1 = require("./types.js");
const node_fs_1 = require("node:fs");
exports.most = 3;
exports.Kind = types_js_1.Kind;
let made = 0;
const text = \`
const x | is a line of a table
\`;
function count(list) {
    const { length } = list;
    return (0, types_js_1.add)(0, types_js_1.Kind.Reg) + list.reduce(0, types_js_1.add) + (0, node_fs_1.size)(length) + made;
}
`;

test("imports of ours are variables, exports are written once, columns stay", () => {
  expect(plain(written)).toBe(`"use strict";
Object.defineProperty(exports, "__esModule", { value: true });

exports.count = count;
var { Kind: types_js_1$Kind, add: types_js_1$add } = require("./types.js");
var   node_fs_1 = require("node:fs");
exports.most = 3;
exports.Kind = types_js_1$Kind;
var made = 0;
var   text = \`
const x | is a line of a table
\`;
function count(list) {
    const { length } = list;
    return     types_js_1$add (0, types_js_1$Kind.Reg) + list.reduce(0, types_js_1$add) + (0, node_fs_1.size)(length) + made;
}
`);
});

test("names that a module exports itself beside `export *` stay the first that are written", () => {
  const star = 'exports.all = void 0;\n__exportStar(require("./some.js"), exports);\nexports.all = 1;\n';
  expect(plain(star)).toBe(star);
});
