/** Bytes and text. What is text is shown and edited; what is not stays bytes. */

/** The text of a file, or null when it is none. A byte order mark stays in it, so that it is written back. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

/** Editors know one line ending; this is how a text reads in one. */
export function asLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/**
 * Gives an edited text the line endings of the original back: lines before and after the change end as they did,
 * those within it as the original mostly does.
 */
export function withEndingsOf(original: string, edited: string): string {
  if (!original.includes('\r')) return edited;
  const before = original.split(/(?<=\r\n|\r(?!\n)|\n)/);
  const after = edited.split(/(?<=\n)/);
  const plain = before.map(asLines);
  let head = 0;
  while (head < plain.length && head < after.length && plain[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < plain.length - head &&
    tail < after.length - head &&
    plain[plain.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail += 1;
  }
  const crlf = original.split('\r\n').length - 1;
  const usual = crlf * 2 >= plain.length - 1 ? '\r\n' : '\n';
  const middle = after.slice(head, after.length - tail).map((line) => line.replace(/\n$/, usual));
  return [...before.slice(0, head), ...middle, ...(tail ? before.slice(-tail) : [])].join('');
}
