import { Page } from '@/components/page';

export default function CodeTab() {
  return <Page title="CodeTab">…</Page>;
}
