// Secrets in the texts of a record's body, names of fields included.
// Invariant: a body without a secret is given back as it is, the same object.
import { isJsonObject, type Json, type JsonObject } from '../json/path.ts'
import { findSecrets, markOf, maskSecrets, secretInName, secretMark } from './find-secrets.ts'
import { type FieldRule, fieldRules } from './written-rule.ts'

/** Which rule found a secret, and in which field: a dotted path, places in lists as numbers. Never the secret itself. */
export interface FoundSecret {
  readonly rule: string
  readonly path: string
}

/** The secrets in `body`, in the order of its fields. */
export function secretsOf(body: JsonObject): FoundSecret[] {
  return collect(body, (text, field) => {
    const known = fieldRuleOf(text, field)
    return known === undefined ? findSecrets(text).map(({ rule }) => rule) : [known]
  })
}

/** The same where its texts are names, in which a secret may stand behind any sign. */
export function secretsInNames(body: JsonObject): FoundSecret[] {
  return collect(body, (text) => secretInName(text) ?? [])
}

/** The marks in `body` that stand where secrets were. */
export function marksIn(body: JsonObject): FoundSecret[] {
  return collect(body, (text) => [...text.matchAll(secretMark)].map(([, rule = '']) => rule))
}

/** `body` with a mark in the place of each secret, and what was found. */
export function maskBody(body: JsonObject): { readonly body: JsonObject; readonly found: FoundSecret[] } {
  const found = secretsOf(body)
  return { body: found.length === 0 ? body : (masked(body, undefined) as JsonObject), found }
}

/** The rules that know a secret in a text, which stands in a field of that name or is a name itself. */
type RulesOf = (text: string, field: string | undefined) => string | string[]

function collect(body: JsonObject, rulesOf: RulesOf): FoundSecret[] {
  const found: FoundSecret[] = []
  const path: (string | number)[] = []
  const note = (rules: string | readonly string[]) => {
    for (const rule of [rules].flat()) found.push({ rule, path: path.join('.') })
  }
  const visit = (value: Json, field: string | undefined): void => {
    if (typeof value === 'string') {
      note(rulesOf(value, field))
    } else if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i += 1) {
        path.push(i)
        visit(value[i] as Json, field)
        path.pop()
      }
    } else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) {
        const inName = fieldNamed(name).isPlain ? [] : rulesOf(name, undefined)
        // A name that is a secret itself is told by its mark.
        path.push(inName.length > 0 ? maskSecrets(name, findSecrets(name)) : name)
        note(inName)
        visit(value[name] as Json, name)
        path.pop()
      }
    }
  }
  visit(body, undefined)
  return found
}

function fieldRuleOf(text: string, field: string | undefined): string | undefined {
  if (field === undefined) return undefined
  const { rules } = fieldNamed(field)
  return rules.length === 0 ? undefined : rules.find((rule) => rule.holds(text))?.id
}

interface FieldName {
  /** No secret and no mark can be in it. */
  readonly isPlain: boolean
  /** The rules for texts in a field of this name. */
  readonly rules: readonly FieldRule[]
}

/** Records of a kind have the same few names: each is looked at once. Names that may hold a secret are not remembered. */
const plainNames = new Map<string, FieldName>()
const plainLimit = 1000

function fieldNamed(name: string): FieldName {
  const known = plainNames.get(name)
  if (known) return known
  const field = {
    isPlain: /^[A-Za-z_]{1,24}$/.test(name) && findSecrets(name).length === 0,
    rules: fieldRules.filter((rule) => rule.field.test(name)),
  }
  if (field.isPlain && plainNames.size < plainLimit) plainNames.set(name, field)
  return field
}

function masked(value: Json, field: string | undefined): Json {
  if (typeof value === 'string') {
    const known = fieldRuleOf(value, field)
    return known === undefined ? maskSecrets(value, findSecrets(value)) : markOf(known, value)
  }
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, field))
  if (!isJsonObject(value)) return value
  const fields = new Map<string, Json>()
  for (const [name, item] of Object.entries(value)) {
    fields.set(freeName(maskSecrets(name, findSecrets(name)), fields), masked(item as Json, name))
  }
  return Object.fromEntries(fields)
}

/** Two names that look alike behind their marks both stay. */
function freeName(name: string, taken: ReadonlyMap<string, Json>): string {
  let free = name
  for (let n = 2; taken.has(free); n += 1) free = `${name} (${n})`
  return free
}
