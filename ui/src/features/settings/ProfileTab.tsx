import { Page } from '@/components/page';

export default function ProfileTab() {
  return <Page title="ProfileTab">…</Page>;
}
