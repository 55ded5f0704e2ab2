// Messages of errors in the words of the command line: its options, not those of the library.
import { type Command, UsageError } from './command.ts'
import { type DaybookError, type ErrorCode, errorTable } from '../../../core/errors.ts'

type Named = Pick<Command, 'name' | 'options'>

/** Options of the library with another name here, if the command has that option. */
const otherNames: Readonly<Record<string, string>> = {
  kinds: 'types',
  orderBy: 'order',
  passphrase: 'passphrase-file',
}

/** Options of the library that come from the environment here, by command. */
const variables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  serve: { database: '$DAYBOOK_DATABASE_URL', key: '$DAYBOOK_KEY' },
}

/** Commands whose input has fields of its own, which must not be taken for options. */
const withFields = new Set(['send', 'store', 'mcp'])

/**
 * Remedies that replace those of the library (`recovery`). Some of the library's refer to the details of the error,
 * which the command line doesn't show.
 */
const remedies: { readonly [Code in ErrorCode]?: string | ((command: Named) => string) } = {
  'invalid-input': 'Correct it, and run the command again.',
  'invalid-filter': 'Correct it, and run the command again.',
  'invalid-file': ({ name }) => (name === 'import-memory' ? 'Nothing was imported.' : ''),
  'bundle-newer': 'Update Daybook.',
  'incomplete-file': ({ options }) =>
    'allow-incomplete' in options
      ? 'Get the whole file. If its end is there, --allow-incomplete imports what is there. Nothing was imported.'
      : 'Get the whole file.',
  'wrong-passphrase': 'Check the passphrase and the file.',
  'not-encrypted':
    'Check that nobody replaced the encrypted file. To use this file, leave out --passphrase-file.',
  unauthorized: ({ options }) =>
    'edge' in options ? 'Check the key in $DAYBOOK_KEY.' : errorTable.unauthorized.recovery,
  'open-elsewhere': ({ name }) =>
    `\`daybook ${name}\` needs the memory for itself. Quit the other program, such as a host that runs \`daybook mcp\`, and run the command again.`,
  locked: 'Give --unlock-file, or import the keys with `daybook import-keys`. Nothing was changed.',
}

/** `error` about an option or a variable, without the remedy for callers of the library. */
export function usageErrorOf({ code, message }: DaybookError): UsageError {
  const { recovery } = errorTable[code]
  return new UsageError(message.endsWith(recovery) ? message.slice(0, -recovery.length).trimEnd() : message)
}

/** The message of `error` as `command` prints it. */
export function cliMessage({ code, message, details }: DaybookError, command: Named | undefined): string {
  if (!command) return message
  const { recovery } = errorTable[code]
  const remedy = remedies[code]
  const own = (typeof remedy === 'function' ? remedy(command) : remedy) ?? recovery
  // The error of another version of Daybook may end with another remedy: leave it.
  if (!message.endsWith(recovery)) return withFlags(withValues(message, details), command)
  const fault = message.slice(0, -recovery.length).trimEnd()
  const text = [fault, code === 'invalid-file' ? placeIn(fault, details) : '', own].filter(Boolean).join(' ')
  return withFlags(withValues(text, details), command)
}

/** The place of a fault in a file, unless `fault` names it. */
const placeIn = (fault: string, { path }: DaybookError['details']) =>
  typeof path !== 'string' || fault.includes(path) ? '' : `See \`${path}\`.`

/** Replaces `details.name` by its value, because nobody sees the details here. */
const withValues = (text: string, details: DaybookError['details']) =>
  text.replaceAll(/\bdetails\.(\w+)/g, (whole, name: string) =>
    ['string', 'number'].includes(typeof details[name]) ? String(details[name]) : whole,
  )

/** Replaces names of the library's options by options of the command. */
function withFlags(text: string, { name: command, options }: Named): string {
  const flagOf = (name: string) => {
    const own = otherNames[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return own in options ? `--${own}` : variables[command]?.[name]
  }
  const shown = text.replace('pass replace: true', 'replace' in options ? 'add --replace' : '$&')
  if (withFields.has(command)) return shown
  return shown.replaceAll(/`(\w+)`/g, (whole, name: string) => flagOf(name) ?? whole)
}
