// The form of a commit's subject. It runs under any Node, before anything is installed.

/** @param {string} subject */
export function isSubject(subject) {
  return subject.length <= 72 && /^[a-z0-9][a-z0-9 ,./-]*: [a-z0-9`"@]/.test(subject)
}
