// Namespaces of a store and folders of documents: ['users', 'a/b'] is the folder `store/users/a%2Fb/`.
import { type MatchCondition, validateNamespace } from '@langchain/langgraph-checkpoint'
import { adapterError } from '../adapter-error.ts'

const root = 'store/'

/** Throws the error of the framework for what is no namespace. `isPrefix`: it may be empty, for all of them. */
export function folderOf(namespace: readonly string[], isPrefix = false): string {
  if (!Array.isArray(namespace)) {
    throw adapterError('invalid-input', 'A namespace is a list of labels.', { path: 'namespace' })
  }
  validateNamespace([...namespace], { allowEmpty: isPrefix, allowReservedRoot: true })
  const unsound = namespace.find((label) => !(label as string).isWellFormed())
  if (unsound !== undefined) {
    throw adapterError('invalid-input', 'A label of the namespace is not well-formed Unicode.', {
      path: 'namespace',
    })
  }
  return namespace.reduce<string>((folder, label) => `${folder}${encodeURIComponent(label as string)}/`, root)
}

export function namespaceOf(folder: string): string[] {
  return folder.slice(root.length, -1).split('/').map(decodeURIComponent)
}

export const isStored = (folder: string) => folder.startsWith(root) && folder.length > root.length

export function matches(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (matchType !== 'prefix' && matchType !== 'suffix') {
    throw adapterError('invalid-input', `Unsupported match type: ${String(matchType)}`, {
      path: 'matchConditions',
    })
  }
  if (path.length > namespace.length) return false
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length
  return path.every((label, i) => label === '*' || label === namespace[start + i])
}
