/** What kind of file something is: the server's word for stored files, the name's ending for new ones. */
import type { Entry } from './draft';

const endings: Record<string, string> = {
  md: 'text/markdown',
  txt: 'text/plain',
  py: 'text/x-python',
  js: 'text/javascript',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  zip: 'application/zip',
};

export function mediaType({ path, from }: Pick<Entry, 'path' | 'from'>): string {
  if (from && from.path === path) return from.media_type;
  return endings[path.split('.').pop()?.toLowerCase() ?? ''] ?? 'application/octet-stream';
}
