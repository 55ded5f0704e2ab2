// Finds and masks secrets in the texts and field names of a record's body.
// Invariant: a body without secrets is returned as the same object.
import { isJsonObject, type Json, type JsonObject } from '../json/path.ts'
import { findSecrets, markOf, maskSecrets, secretInName, secretMark } from './find-secrets.ts'
import { type FieldRule, fieldRules } from './written-rule.ts'

/** A found secret: its rule, and its place as a dotted path with list indexes. Never contains the secret. */
export interface FoundSecret {
  readonly rule: string
  readonly path: string
}

/** Returns the secrets in `body`, in the order of its fields. */
export function secretsOf(body: JsonObject): FoundSecret[] {
  // Most bodies have none, and then no path is needed.
  if (!mayHaveSecret(body, noRules)) return []
  return collect(body, (text, rules) => {
    const rule = fieldRuleOf(text, rules)
    if (rule !== undefined) return [rule]
    const places = findSecrets(text)
    return places.length === 0 ? noRules : places.map(({ rule }) => rule)
  })
}

/** False for a value without secrets. True for one with a secret, or with an unusual field name. */
function mayHaveSecret(value: Json, rules: readonly FieldRule[]): boolean {
  if (typeof value === 'string')
    return findSecrets(value).length > 0 || (rules.length > 0 && fieldRuleOf(value, rules) !== undefined)
  if (typeof value !== 'object' || value === null) return false
  // Plain loops: each write scans its body, and a callback for each field costs time.
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) if (mayHaveSecret(value[i] as Json, rules)) return true
    return false
  }
  const fields = value as JsonObject
  for (const name in fields) {
    const field = fieldNamed(name)
    if (!field.isPlain || mayHaveSecret(fields[name] as Json, field.rules)) return true
  }
  return false
}

/** Returns the secrets in a body of names, where a secret may begin after any sign. */
export function secretsInNames(body: JsonObject): FoundSecret[] {
  return collect(body, (text) => {
    const rule = secretInName(text)
    return rule === undefined ? noRules : [rule]
  })
}

/** Returns the marks in `body` that replaced secrets. */
export function secretMarksIn(body: JsonObject): FoundSecret[] {
  return collect(body, (text) => [...text.matchAll(secretMark)].map(([, rule = '']) => rule))
}

/** Returns `body` with a mark in place of each secret, and the found secrets. */
export function maskBody(body: JsonObject): { readonly body: JsonObject; readonly found: FoundSecret[] } {
  const found = secretsOf(body)
  return { body: found.length === 0 ? body : (masked(body, undefined) as JsonObject), found }
}

/** Returns the ids of the rules that match a text. `rules`: the rules of its field. */
type RulesOf = (text: string, rules: readonly FieldRule[]) => readonly string[]
const noRules: readonly never[] = []

function collect(body: JsonObject, rulesOf: RulesOf): FoundSecret[] {
  const found: FoundSecret[] = []
  const path: (string | number)[] = []
  const note = (rules: readonly string[]) => {
    for (const rule of rules) found.push({ rule, path: path.join('.') })
  }
  const visit = (value: Json, rules: readonly FieldRule[]): void => {
    if (typeof value === 'string') {
      const broken = rulesOf(value, rules)
      if (broken.length > 0) note(broken)
    } else if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i += 1) {
        path.push(i)
        visit(value[i] as Json, rules)
        path.pop()
      }
    } else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) {
        const field = fieldNamed(name)
        const inName = field.isPlain ? noRules : rulesOf(name, noRules)
        // Reports a field name that is a secret as its mark.
        path.push(inName.length > 0 ? maskSecrets(name, findSecrets(name)) : name)
        if (inName.length > 0) note(inName)
        visit(value[name] as Json, field.rules)
        path.pop()
      }
    }
  }
  visit(body, noRules)
  return found
}

function fieldRuleOf(text: string, rules: readonly FieldRule[]): string | undefined {
  return rules.length === 0 ? undefined : rules.find((rule) => rule.holds(text))?.id
}

interface FieldName {
  /** True if the name can contain neither a secret nor a mark. */
  readonly isPlain: boolean
  /** Rules for texts in a field with this name. */
  readonly rules: readonly FieldRule[]
}

/**
 * Cache of field names without secrets: records of a kind share few names. Names that may contain a secret are
 * excluded.
 */
const plainNames = new Map<string, FieldName>()
const plainLimit = 1000

function fieldNamed(name: string): FieldName {
  const cached = plainNames.get(name)
  if (cached) return cached
  const field = {
    isPlain: /^[A-Za-z_]{1,24}$/.test(name) && findSecrets(name).length === 0,
    rules: fieldRules.filter((rule) => rule.field.test(name)),
  }
  if (field.isPlain && plainNames.size < plainLimit) plainNames.set(name, field)
  return field
}

function masked(value: Json, field: string | undefined): Json {
  if (typeof value === 'string') {
    const rule = fieldRuleOf(value, field === undefined ? noRules : fieldNamed(field).rules)
    return rule === undefined ? maskSecrets(value, findSecrets(value)) : markOf(rule, value)
  }
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, field))
  if (!isJsonObject(value)) return value
  const fields = new Map<string, Json>()
  for (const [name, item] of Object.entries(value)) {
    fields.set(freeName(maskSecrets(name, findSecrets(name)), fields), masked(item as Json, name))
  }
  return Object.fromEntries(fields)
}

/** Returns a name that is not taken, so that two names with equal marks both stay. */
function freeName(name: string, taken: ReadonlyMap<string, Json>): string {
  let free = name
  for (let n = 2; taken.has(free); n += 1) free = `${name} (${n})`
  return free
}
