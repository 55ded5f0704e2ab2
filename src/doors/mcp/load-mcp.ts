// The library of the protocol, loaded when somebody speaks it: whoever does not pays nothing for it.
export type Mcp = typeof import('@modelcontextprotocol/server')

export const loadMcp = (): Promise<Mcp> => import('@modelcontextprotocol/server')
