/** Hands bytes to the browser as a file. Fetched, not linked: a link would not say which workspace is meant. */
import { fetchRaw } from '@/api/client';
import { failed } from '@/components/feedback';
import { saveAs } from '@/components/saveAs';

export async function downloadFrom(path: string, name: string): Promise<void> {
  try {
    saveAs(await (await fetchRaw(path)).blob(), name);
  } catch (error) {
    failed(error);
  }
}

export function bundleAddress(id: string, revision?: number): string {
  return `/api/v1/skills/${id}/bundle${revision === undefined ? '' : `?revision=${revision}`}`;
}

export function fileAddress(id: string, path: string, revision: number): string {
  const parts = path.split('/').map(encodeURIComponent).join('/');
  return `/api/v1/skills/${id}/files/${parts}?revision=${revision}`;
}
