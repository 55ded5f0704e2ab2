// A signal that lasts as long as a part of the page: what only it waits for ends with it.
import { useEffect, useState } from 'preact/hooks'

/** Aborted when this part is taken off the page. */
export function useGone(): AbortSignal {
  const [gone] = useState(() => new AbortController())
  useEffect(() => () => gone.abort(), [])
  return gone.signal
}
