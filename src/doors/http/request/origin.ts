// Which pages may call the edge from a browser: those of this machine, and those that the deployment names.

const ownPages = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/

/** True for an origin of this machine, or one of `named`: origins apart by blanks or commas, each exact. */
export function isAllowedOrigin(origin: string, named = ''): boolean {
  return ownPages.test(origin) || named.split(/[\s,]+/).some((one) => one !== '' && one === origin)
}
