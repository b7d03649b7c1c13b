/** A URL as it may be printed: without the password, and without the query, which may hold one too. */
export const display = (url: string): string => {
  if (url.startsWith('sqlite:')) return url
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0]
  if (scheme === undefined) return JSON.stringify(url)
  try {
    const { username, host, pathname } = new URL(url)
    return `${scheme}${username === '' ? '' : `${username}@`}${host}${pathname}`
  } catch {
    return `${scheme}…`
  }
}

/** A message of the driver, which may quote parts of the URL. */
export const withoutPassword = (url: string, text: string): string => {
  const secrets = passwordsOf(url).filter((secret) => secret !== '')
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}

const passwordsOf = (url: string): readonly string[] => {
  if (!URL.canParse(url)) return [url]
  const { password, searchParams } = new URL(url)
  return [password, decoded(password), searchParams.get('password') ?? '']
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
