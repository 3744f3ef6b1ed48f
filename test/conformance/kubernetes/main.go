// What a Go client does that speaks protobuf for built-in kinds, as controllers and helm do: it creates, reads, changes,
// lists, watches and deletes. One line per check, `ok NAME` or `FAIL NAME: why`. Usage: kubernetes SERVER TOKEN.
package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"time"

	authv1 "k8s.io/api/authentication/v1"
	authzv1 "k8s.io/api/authorization/v1"
	coordv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

var failed = false

func check(name string, err error) {
	if err != nil {
		failed = true
		fmt.Printf("FAIL %s: %v\n", name, err)
		return
	}
	fmt.Printf("ok %s\n", name)
}

func same(name string, got, want any) {
	if reflect.DeepEqual(got, want) {
		check(name, nil)
		return
	}
	check(name, fmt.Errorf("got %+v, want %+v", got, want))
}

func main() {
	config := &rest.Config{
		Host:            os.Args[1],
		BearerToken:     os.Args[2],
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		ContentConfig: rest.ContentConfig{
			ContentType:        "application/vnd.kubernetes.protobuf",
			AcceptContentTypes: "application/vnd.kubernetes.protobuf",
		},
	}
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	nodes(ctx, client)
	pods(ctx, client)
	others(ctx, client)
	reviews(ctx, client)
	partial, err := metadata.NewForConfig(metadata.ConfigFor(config))
	check("metadata client", err)
	list, err := partial.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).List(ctx, metav1.ListOptions{})
	check("list of metadata", err)
	if err == nil && len(list.Items) < 4 {
		check("list of metadata has the namespaces", fmt.Errorf("%d items", len(list.Items)))
	}
	if failed {
		os.Exit(1)
	}
}

func nodes(ctx context.Context, client *kubernetes.Clientset) {
	api := client.CoreV1().Nodes()
	_ = api.Delete(ctx, "proto-node", metav1.DeleteOptions{})
	now := metav1.NewTime(time.Unix(1700000000, 0))
	status := corev1.NodeStatus{
		Capacity:   corev1.ResourceList{"cpu": resource.MustParse("1500m"), "memory": resource.MustParse("1.5Gi")},
		Conditions: []corev1.NodeCondition{{Type: "Ready", Status: "True", LastHeartbeatTime: now, LastTransitionTime: now}},
		Addresses:  []corev1.NodeAddress{{Type: "InternalIP", Address: "10.0.0.9"}},
	}
	created, err := api.Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "proto-node", Labels: map[string]string{"a": "1", "b": ""}},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "k", Effect: "NoSchedule", TimeAdded: &now}}},
		Status:     status,
	}, metav1.CreateOptions{})
	check("create a node", err)
	if err != nil {
		return
	}
	same("its uid is there", len(created.UID), 36)
	read, err := api.Get(ctx, "proto-node", metav1.GetOptions{})
	check("get the node", err)
	same("labels", read.Labels, map[string]string{"a": "1", "b": ""})
	same("a quantity", read.Status.Capacity.Memory().String(), "1536Mi")
	same("allocatable follows capacity", read.Status.Allocatable.Cpu().String(), "1500m")
	same("a time", read.Status.Conditions[0].LastHeartbeatTime.Unix(), now.Unix())
	same("owned fields", len(read.ManagedFields) > 0 && len(read.ManagedFields[0].FieldsV1.Raw) > 10, true)
	_, err = api.Patch(ctx, "proto-node", types.StrategicMergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
	check("patch the node", err)
	read, err = api.Get(ctx, "proto-node", metav1.GetOptions{})
	check("get it again", err)
	same("it is cordoned", read.Spec.Unschedulable, true)
	read.Labels["c"] = "3"
	_, err = api.Update(ctx, read, metav1.UpdateOptions{})
	check("update the node", err)
	_, err = api.Update(ctx, created, metav1.UpdateOptions{})
	same("an old version is refused", apierrors.IsConflict(err), true)
	_, err = api.Get(ctx, "not-there", metav1.GetOptions{})
	same("an unknown node is not found", apierrors.IsNotFound(err), true)
	check("delete the node", api.Delete(ctx, "proto-node", metav1.DeleteOptions{}))
}

func pods(ctx context.Context, client *kubernetes.Clientset) {
	api := client.CoreV1().Pods("default")
	_, _ = client.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	grace := int64(0)
	_ = api.Delete(ctx, "proto-pod", metav1.DeleteOptions{GracePeriodSeconds: &grace})
	list, err := api.List(ctx, metav1.ListOptions{})
	check("list pods", err)
	watching, err := api.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, FieldSelector: "metadata.name=proto-pod"})
	check("watch pods", err)
	mode := int32(0o600)
	created, err := api.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "proto-pod"},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"nowhere": "x"},
			Containers: []corev1.Container{{
				Name: "c", Image: "i:1",
				Ports:     []corev1.ContainerPort{{ContainerPort: 80}},
				Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("0.5")}},
				LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
					HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromString("web")},
				}},
				Env: []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
			}},
			Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s", DefaultMode: &mode}}}},
		},
	}, metav1.CreateOptions{})
	check("create a pod", err)
	if err != nil {
		return
	}
	container := created.Spec.Containers[0]
	same("a request follows its limit", container.Resources.Requests.Cpu().String(), "500m")
	same("a port's protocol is filled in", container.Ports[0].Protocol, corev1.ProtocolTCP)
	same("a named port", container.LivenessProbe.HTTPGet.Port, intstr.FromString("web"))
	same("a volume's source", *created.Spec.Volumes[0].Secret.DefaultMode, mode)
	same("the default tolerations", len(created.Spec.Tolerations), 2)
	check("delete the pod", api.Delete(ctx, "proto-pod", metav1.DeleteOptions{GracePeriodSeconds: &grace}))
	seen := []watch.EventType{}
	for event := range watching.ResultChan() {
		pod, fits := event.Object.(*corev1.Pod)
		if !fits || pod.Name != "proto-pod" {
			check("an event has its pod", fmt.Errorf("%T", event.Object))
		}
		if event.Type != watch.Modified {
			seen = append(seen, event.Type)
		}
		if event.Type == watch.Deleted {
			break
		}
	}
	watching.Stop()
	same("events", seen, []watch.EventType{watch.Added, watch.Deleted})
	err = client.CoreV1().Pods("default").EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "gone", Namespace: "default"}})
	same("an eviction of nothing", apierrors.IsNotFound(err), true)
}

func others(ctx context.Context, client *kubernetes.Clientset) {
	secrets := client.CoreV1().Secrets("default")
	_ = secrets.Delete(ctx, "proto-secret", metav1.DeleteOptions{})
	secret, err := secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "proto-secret"},
		Data:       map[string][]byte{"raw": {0, 255, 1}, "empty": {}},
		StringData: map[string]string{"text": "ü"},
	}, metav1.CreateOptions{})
	check("create a secret", err)
	same("its bytes", secret.Data["raw"], []byte{0, 255, 1})
	same("its text", string(secret.Data["text"]), "ü")
	_, err = secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "Not A Name"}}, metav1.CreateOptions{})
	same("a bad name is invalid", apierrors.IsInvalid(err), true)
	leases := client.CoordinationV1().Leases("default")
	_ = leases.Delete(ctx, "proto-lease", metav1.DeleteOptions{})
	at := metav1.NewMicroTime(time.Unix(1700000000, 123456000))
	holder := "me"
	lease, err := leases.Create(ctx, &coordv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "proto-lease"},
		Spec:       coordv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &at},
	}, metav1.CreateOptions{})
	check("create a lease", err)
	if err == nil {
		same("microseconds", lease.Spec.RenewTime.UnixMicro(), at.UnixMicro())
	}
	check("delete secrets by label", secrets.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "no=such"}))
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "proto-role"},
		Rules:      []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}},
	}
	_ = client.RbacV1().ClusterRoles().Delete(ctx, "proto-role", metav1.DeleteOptions{})
	made, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
	check("create a role", err)
	same("its rules", made.Rules, role.Rules)
	groups, err := client.Discovery().ServerGroups()
	check("discovery", err)
	same("it names groups", len(groups.Groups) > 10, true)
}

func reviews(ctx context.Context, client *kubernetes.Clientset) {
	access, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authzv1.SelfSubjectAccessReview{
		Spec: authzv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authzv1.ResourceAttributes{Verb: "create", Resource: "pods", Namespace: "default"}},
	}, metav1.CreateOptions{})
	check("access review", err)
	if err == nil {
		same("it is allowed", access.Status.Allowed, true)
	}
	token, err := client.CoreV1().ServiceAccounts("default").CreateToken(ctx, "default", &authv1.TokenRequest{}, metav1.CreateOptions{})
	check("create a token", err)
	if err != nil {
		return
	}
	review, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authv1.TokenReview{Spec: authv1.TokenReviewSpec{Token: token.Status.Token}}, metav1.CreateOptions{})
	check("token review", err)
	if err == nil {
		same("the token's user", review.Status.User.Username, "system:serviceaccount:default:default")
	}
}
