/** The bytes of files. What a digest names never changes, so it is read once. */
import { queryOptions } from '@tanstack/react-query';
import { fetchRaw, type Schemas } from '@/api/client';
import { fileAddress } from '../download';

export async function readBytes(id: string, revision: number, path: string): Promise<Uint8Array> {
  const answer = await fetchRaw(fileAddress(id, path, revision));
  return new Uint8Array(await answer.arrayBuffer());
}

export const bytesQuery = (
  id: string,
  revision: number,
  file: Pick<Schemas['FileView'], 'path' | 'digest'>,
) =>
  queryOptions({
    queryKey: ['bytes', id, file.digest],
    queryFn: () => readBytes(id, revision, file.path),
    staleTime: Number.POSITIVE_INFINITY,
  });
