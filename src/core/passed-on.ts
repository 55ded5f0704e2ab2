// What tells that a request was passed on: whoever seems to be this machine may then be anybody.

/** What proxies, tunnels and networks of delivery add to what they pass on; a client of its own sends none of it. */
const addedByProxies =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-original-.+|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|x-envoy-.+|cdn-loop|cf-(?:ray|visitor|ipcountry)|(?:fly|fastly)-client-ip)$/i

/** True when one of these is a header that only a proxy sends. A proxy that adds nothing can't be told. */
export function isPassedOn(headerNames: Iterable<string>): boolean {
  return [...headerNames].some((name) => addedByProxies.test(name))
}
