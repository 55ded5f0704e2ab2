// Light, dark, or what the system says. Kept in this browser only.
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const place = 'daybook-inspector:theme'
const themes: readonly Theme[] = ['system', 'light', 'dark']

function kept(): Theme {
  try {
    const found = localStorage.getItem(place)
    return themes.find((theme) => theme === found) ?? 'system'
  } catch {
    return 'system'
  }
}

export const theme = signal<Theme>(kept())

/** Goes through system, light, dark. */
export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system'
}

effect(() => {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme.value
  try {
    localStorage.setItem(place, theme.value)
  } catch {
    // Without site data the choice lasts as long as the page.
  }
})
