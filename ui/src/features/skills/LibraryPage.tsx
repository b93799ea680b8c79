import { Page } from '@/components/page';

export default function LibraryPage() {
  return <Page title="LibraryPage">…</Page>;
}
