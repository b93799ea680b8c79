import { Page } from '@/components/page';

export default function ContentTab() {
  return <Page title="ContentTab">…</Page>;
}
