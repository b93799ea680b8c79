/** What somebody pasted to sign in, where they wanted to go, and what went wrong before, in words. */

type Pasted = { link: string } | { token: string };

/** Reads a one-time link, its secret, or a token; null for anything else. */
export function readPasted(text: string): Pasted | null {
  const words = text.trim();
  const inAddress = words.match(/[?&]link=([^&#\s]+)/)?.[1];
  if (inAddress) return { link: decode(inAddress) };
  if (/^rpl_\S+$/.test(words)) return { link: words };
  if (/^rpt_\S+$/.test(words)) return { token: words };
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A place of this app, or none: nobody is sent elsewhere by a link they were given. */
export function localPath(next: string | undefined, origin: string): string | null {
  if (!next?.startsWith('/')) return null;
  let there: URL;
  try {
    there = new URL(next, origin);
  } catch {
    return null;
  }
  if (there.origin !== origin || there.pathname.startsWith('//') || there.pathname === '/sign-in')
    return null;
  return there.pathname + there.search + there.hash;
}

const problems: Record<string, string> = {
  unauthenticated:
    'The link is unknown, was used already, or has expired. Each link works once, within 24 hours.',
  rate_limited: 'Too many attempts to sign in. Wait a minute, then try again.',
  cross_site: 'The request came from another page. Open the link in this browser yourself.',
  host_not_allowed: 'The server does not know the address this page was opened at.',
  unavailable: 'The server cannot reach its database just now. Try again in a moment.',
};

export function problemWords(code: string): string {
  return problems[code] ?? `The link could not be used (${code}). Make a new one, or use a token.`;
}
