// Checks for plain words: how comments begin, phrases that hide the subject, and names that need an
// explanation.
import { nodesOf } from '../walls/imports.mjs'

/** @typedef {{ line: number, rule: string, text: string }} Fault */

/** A sentence that begins with one of these says its subject last. */
const beginning =
  /^(?:What|Whatever|Who|Whoever|Whom|Whose|Where|Wherever|Which|Whichever|That(?! is| way))\b/
const phrases = [
  /\bat hand\b/,
  /\b(?:can|can't|cannot|could|couldn't|may) be had\b/,
  /\bgo(?:es)? on\b(?! (?:foot|top))/,
  /\bof yesterday\b/,
  /\b(?:is|are|was|were) none\b/,
  /\bcome[s]? to (?:pass|be|itself|that|it)\b/,
  /\bcomes? of it\b/,
  /\bhears? of\b/,
  /\btells? (?:nobody|anybody|whoever|those|who)\b/,
  /\bis (?:told|heard|asked)\b/,
  /\bwhoever\b/i,
  /\b(?:none|nothing|something|anything) of the kind\b/,
  /\bbears? (?:a|an|the|it|that)\b/,
]
/** In papers, which name no fields and no verbs outside of code, these too. */
const paperPhrases = [...phrases, /\banew\b/, /\bstands?\b(?! (?:for|in for)\b)/, /\bcan be got\b/]
const parts = new Set(['told', 'heard', 'said', 'asked', 'whoever', 'anew', 'heeded', 'kept'])
const whole = new Set(['had', 'known', 'given', 'left', 'that', 'what', 'who'])

/** The comments of a text, each with the line of its beginning. @param {string} text */
export function commentsOf(text) {
  /** @type {{ line: number, text: string }[]} */
  const found = []
  /** @type {{ line: number, text: string } | undefined} */
  let open
  for (const [at, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    const own = /^\/\/ ?(.*)$/.exec(trimmed)?.[1]
    const block = /^(?:\/\*\*?|\*(?!\/)) ?(.*?)(?:\*\/)?$/.exec(trimmed)?.[1]
    const trailing = /^[^'"`]*\s\/\/ (.+)$/.exec(line)?.[1]
    const content = own ?? block
    if (content === undefined) {
      open = undefined
      if (trailing) found.push({ line: at + 1, text: trailing })
    } else if (open && !trimmed.startsWith('/**')) open.text = `${open.text} ${content.trim()}`.trim()
    else found.push((open = { line: at + 1, text: content.trim() }))
    if (trimmed.endsWith('*/')) open = undefined
  }
  return found
}

/** @param {string} comment */
const sentencesOf = (comment) =>
  comment.replace(/^@\S+ (?:\{[^}]*\} )?/, '').split(/(?<=[.:;?!])\s+(?=[A-Z])/)

/**
 * The texts of a markdown page: paragraphs, items and table cells, each with the line of its beginning. Code is left out.
 * @param {string} page
 */
export function paperTextsOf(page) {
  /** @type {{ line: number, text: string }[]} */
  const found = []
  /** @type {{ line: number, text: string } | undefined} */
  let open
  let isCode = false
  for (const [at, line] of page.split('\n').entries()) {
    const trimmed = line.trim()
    const isFence = trimmed.startsWith('```')
    if (isFence) isCode = !isCode
    if (isFence || isCode || trimmed === '') open = undefined
    else if (trimmed.startsWith('|')) {
      open = undefined
      for (const cell of trimmed.split('|')) found.push({ line: at + 1, text: cell.trim() })
    } else if (open && !/^(?:#|[-*>] |\d+\. )/.test(trimmed)) open.text += ` ${trimmed}`
    else found.push((open = { line: at + 1, text: trimmed.replace(/^(?:#+|[-*>]|\d+\.) /, '') }))
    if (trimmed.startsWith('#')) open = undefined
  }
  return found.map(({ line, text }) => ({ line, text: plainOf(text) }))
}

/** Markdown without code, targets of links and marks of emphasis. @param {string} text */
const plainOf = (text) =>
  text
    .replaceAll(/`[^`]*`/g, '`')
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/\*\*|\[|(?<!\w)_|_(?!\w)/g, '')

/**
 * Faults in the prose of a markdown page. A question may begin as questions do.
 * @param {string} page
 * @returns {Fault[]}
 */
export function judgePaper(page) {
  return paperTextsOf(page).flatMap(({ line, text }) => [
    ...sentencesOf(text)
      .filter((sentence) => beginning.test(sentence) && !sentence.endsWith('?'))
      .map((sentence) => ({ line, rule: 'begins', text: sentence })),
    ...paperPhrases.flatMap((phrase) => {
      const found = phrase.exec(text)?.[0]
      return found === undefined ? [] : [{ line, rule: 'phrase', text: found }]
    }),
  ])
}

/**
 * Faults in the words of a source file: its comments, names and texts.
 * @param {string} file
 * @param {string} text
 * @returns {Fault[]}
 */
export function judgeWords(file, text) {
  /** @type {Fault[]} */
  const faults = []
  for (const comment of commentsOf(text)) {
    for (const sentence of sentencesOf(comment.text))
      if (beginning.test(sentence)) faults.push({ line: comment.line, rule: 'begins', text: sentence })
    const phrase = phrases.find((one) => one.test(comment.text))
    if (phrase)
      faults.push({ line: comment.line, rule: 'phrase', text: phrase.exec(comment.text)?.[0] ?? '' })
  }
  const lineAt = lineFinder(text)
  const seen = new Set()
  for (const node of nodesOf(file, text)) {
    if (node.type === 'Literal' && typeof node.value === 'string' && node.value.includes(' ')) {
      const phrase = phrases.find((one) => one.test(node.value))
      if (phrase)
        faults.push({ line: lineAt(node.start), rule: 'text', text: phrase.exec(node.value)?.[0] ?? '' })
    }
    for (const name of declaredBy(node)) {
      if (seen.has(name) || !isMisnamed(name)) continue
      seen.add(name)
      faults.push({ line: lineAt(node.start), rule: 'name', text: name })
    }
  }
  return faults.toSorted((a, b) => a.line - b.line)
}

/** @param {string} name */
export function isMisnamed(name) {
  return whole.has(name) || name.split(/(?=[A-Z])|[-_]/).some((part) => parts.has(part.toLowerCase()))
}

/** Names that a node declares. @param {any} node @returns {string[]} */
function declaredBy(node) {
  /** @type {Record<string, unknown[]>} */
  const declared = {
    VariableDeclarator: [node.id],
    FunctionDeclaration: [node.id, ...(node.params ?? [])],
    FunctionExpression: node.params ?? [],
    ArrowFunctionExpression: node.params ?? [],
    ClassDeclaration: [node.id],
    TSInterfaceDeclaration: [node.id],
    TSTypeAliasDeclaration: [node.id],
    TSPropertySignature: [node.key],
    TSMethodSignature: [node.key],
    MethodDefinition: [node.key],
    PropertyDefinition: [node.key],
  }
  return (declared[node.type] ?? []).flatMap((/** @type {any} */ id) =>
    id?.type === 'Identifier' || id?.type === 'PrivateIdentifier' ? [id.name] : [],
  )
}

/** @param {string} text */
function lineFinder(text) {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (/** @type {number} */ offset) => starts.findLastIndex((start) => start <= offset) + 1
}
