// Whether a proxy has passed a request on: its caller may then be anybody, though it seems to be this machine.

/** What proxies, tunnels and networks of delivery add to what they pass on; a client of its own sends none of it. */
const addedByProxies =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-original-.+|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|x-envoy-.+|cdn-loop|cf-(?:ray|visitor|ipcountry)|(?:fly|fastly)-client-ip)$/i

/** True when one of these is a header that only a proxy sends. A proxy that adds nothing goes unnoticed. */
export function isPassedOn(headerNames: Iterable<string>): boolean {
  return [...headerNames].some((name) => addedByProxies.test(name))
}
