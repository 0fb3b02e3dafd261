/** Machine code: the instruction table, encoder, decoder, text and listings. */

export { describe, form, tryForm } from "../isa/form.js";
export type { Pipe } from "../isa/latency/types.js";
export { type Parsed, type ParseNames, parseInst } from "../isa/parse.js";
export { sregIndex, sregName } from "../isa/sreg.js";
export { mnemonics } from "../isa/table.js";
export { type Names, renderInst } from "../isa/text.js";
export { type Guards, guardsOf, latencyClass } from "../isa/timing.js";
export type { Flow, Form, Memory, SlotInfo, Space } from "../isa/types.js";
export { type AssemblyLine, type AssemblySource, assembleLines, assemblyLines } from "./assembly.js";
export type { Code, CodeReloc, CodeTable, Routine } from "./code.js";
export { controlOf, decodeCode, decodeInst } from "./decode.js";
export { type DocPage, isaPage, isaPages, modifiersOf } from "./docs.js";
export {
  accepts,
  controlWord,
  type EncodeContext,
  encodeInst,
  isEncodable,
  type OperandKind,
} from "./encode.js";
export type { EncodeOptions } from "./encode-func.js";
export { encodeFunc } from "./encode-func.js";
export { type CodeBlock, codeFlow, type FlowFacts, isConditional } from "./flow.js";
export type { LiveFacts } from "./live.js";
export {
  type Convention,
  columnsOf,
  type LifeMark,
  type LiveCount,
  lifeRanges,
  liveCounts,
  type RegisterName,
  type RegisterUse,
  registerUse,
} from "./live.js";
export {
  controlText,
  type LabelNumbers,
  type Listed,
  type ListingLine,
  listing,
  listingLines,
} from "./print.js";
export { type ModifierDoc, type NamePart, type WordDoc, wordDoc } from "./word-doc.js";
export { codeTexts, type WordPrinter, wordPrinter } from "./word-text.js";
